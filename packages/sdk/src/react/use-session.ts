'use client'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { isApiError } from '../errors/api-error.ts'
import type { RuntimePromptPart } from '../runtime/runtime-types.ts'
import { createMessageId } from '../session/send-prompt.ts'
import type { SendOptions, SessionHandle } from '../session/session-handle.ts'
import { generateSessionId } from '../sessions/generate-session-id.ts'
import { toRecord } from '../wire/read-value.ts'
import { classifySendError } from './classify-send-error.ts'
import { createSessionView, type SessionView, type SessionViewState } from './session-view.ts'
import { dropSessionStart, readSessionStart } from './start-stash.ts'
import { hookClient, type MaybeId } from './svc-query.ts'
import { useSessionPicks } from './use-session-picks.ts'

/** How a session is followed. */
export interface UseSessionOptions {
  /** How long one start request may be held. Default 8000. */
  readonly waitMs?: number
  /** Sends the prompt that `stashSessionStart` kept for the session. Default true. */
  readonly replayStartStash?: boolean
  readonly enabled?: boolean
  /** False follows the start only: no messages, no events, nothing asked. Default true. */
  readonly chatEngine?: boolean
  /** The conversation, when it is known before the session has started. */
  readonly initialOpenCodeSessionId?: string | undefined
}

type Reply = 'once' | 'always' | 'reject'

/**
 * One session on a screen: its start, its messages as they stream in, what it asks, and everything a person can do
 * with it. Call it once per screen.
 *
 * @example
 * const { phase, messages, isBusy, send, questions, answerQuestion } = useSession(projectId, sessionId)
 */
export function useSession(projectId: MaybeId, sessionId: MaybeId, options: UseSessionOptions = {}) {
  const {
    waitMs = 8000,
    enabled = true,
    initialOpenCodeSessionId,
    replayStartStash = true,
    chatEngine = true,
  } = options
  const isOn = enabled && Boolean(projectId && sessionId)
  const session = useMemo(() => hookClient().session(projectId ?? '', sessionId ?? ''), [projectId, sessionId])
  const view = useMemo(() => createSessionView(session, initialOpenCodeSessionId), [session, initialOpenCodeSessionId])
  const state = useSyncExternalStore(view.subscribe, view.snapshot, view.snapshot)
  const picks = useSessionPicks(sessionId)
  useEffect(() => (isOn ? view.follow({ waitMs, chat: chatEngine }) : undefined), [view, isOn, waitMs, chatEngine])
  useEffect(() => {
    if (isOn && replayStartStash) void replayStart(view, session)
  }, [view, session, isOn, replayStartStash])

  const actions = useMemo(() => {
    const sendParts = (
      parts: readonly RuntimePromptPart[],
      { model = picks.model, agent = picks.agent }: SendOptions = {},
    ) =>
      view.sending(() =>
        session.prompts.send({
          client_message_id: generateSessionId(),
          message_id: createMessageId(),
          parts: parts.map((part) => ({ ...part })),
          overrides: { model, agent },
        }),
      )
    const answering = async <T>(requestId: string, work: Promise<T>): Promise<T> => {
      const answered = await orClassified(work)
      view.settle(requestId)
      return answered
    }
    const queueing = <T>(work: Promise<T>): Promise<T> =>
      orClassified(work).finally(() => view.refresh().catch(() => undefined))
    return {
      sendParts,
      send: (text: string, sendOptions?: SendOptions) => sendParts([{ type: 'text', text }], sendOptions),
      runCommand: (command: string, args: string, { model, agent = picks.agent }: SendOptions = {}) =>
        view.sending(async () => {
          const { opencodeSessionId } = await session.ensureReady()
          const input = { command, arguments: args, agent, model: model && `${model.providerID}/${model.modelID}` }
          return session.runtime.session.command(opencodeSessionId, input)
        }),
      cancel: () => session.abort(),
      rewind: (messageId: string) => session.rewind(messageId),
      restoreRewind: () => session.restoreRewind(),
      answerQuestion: (requestId: string, answers: readonly (readonly string[])[]) =>
        answering(requestId, answerQuestion(session, requestId, answers)),
      rejectQuestion: (requestId: string) => answering(requestId, session.questions.reject(requestId)),
      answerPermission: (requestId: string, reply: Reply, message?: string) =>
        answering(requestId, session.permissions.reply(requestId, reply, message)),
      cancelPrompt: (promptId: string) => queueing(session.prompts.cancel(promptId)),
      retryPrompt: (promptId: string) => queueing(session.prompts.retry(promptId)),
      loadOlder: view.loadOlder,
      retry: view.retry,
    }
  }, [session, view, picks.model, picks.agent])

  return { projectId, sessionId, ...describe(state, isOn, chatEngine), ...actions, picks }
}

function describe(state: SessionViewState, isOn: boolean, hasChat: boolean) {
  const { start, startError, gaveUp, isCut, providers, agents, commands, isLoaded, status, pending } = state
  const isFailed = start !== undefined && /^(stopped|failed)$/.test(start.stage) && !start.retriable
  const isReady = start?.stage === 'ready'
  const isError = startError !== undefined || gaveUp || isFailed
  return {
    opencodeSessionId: start?.opencode_session_id ?? null,
    messages: state.messages,
    status,
    endReason: state.endReason,
    questions: state.questions,
    permissions: state.permissions,
    diffs: state.diffs,
    todos: state.todos,
    hasOlder: state.hasOlder,
    isLoadingOlder: state.isLoadingOlder,
    phase: isError ? ('error' as const) : isReady ? ('ready' as const) : ('starting' as const),
    stage: start?.stage,
    agentName: start?.agent_name,
    sandbox: start?.sandbox ?? null,
    retriable: start?.retriable ?? false,
    startError,
    failure: start?.failure ?? null,
    reason: start?.reason,
    runtimePhase: runtimePhaseOf(isError || isCut, isReady, start !== undefined),
    isBusy: status.type !== 'idle' || state.isSending,
    isCompacting: state.isCompacting || isSummarising(state),
    isLoading: isOn && !isError && !(hasChat ? isLoaded : isReady),
    isError,
    hasPending: pending.length > 0,
    pending,
    isSending: state.isSending,
    sendError: state.sendError,
    models: providers.flatMap((provider) =>
      Object.values(provider.models).map((model) => ({ ...model, providerID: provider.id, modelID: model.id })),
    ),
    agents: agents.filter(({ mode, hidden }) => mode !== 'subagent' && !hidden),
    defaultAgent: start?.agent_name,
    commands,
  }
}

/** A summary is being written: some runtimes say so only by the message that will hold it. */
function isSummarising({ messages, status }: SessionViewState): boolean {
  const { summary, time } = toRecord(messages.at(-1)?.info)
  return status.type !== 'idle' && summary === true && toRecord(time).completed === undefined
}

/** A delivery that failed is tried again when the screen is opened again: the service knows the prompt by its id. */
async function replayStart(view: SessionView, session: SessionHandle): Promise<void> {
  const prompt = readSessionStart(session.sessionId)
  if (!prompt) return
  await view.sending(async () => {
    await session.prompts.send(prompt)
    dropSessionStart(session.sessionId)
  })
}

function runtimePhaseOf(isGone: boolean, isReady: boolean, isKnown: boolean): RuntimePhase {
  if (isGone) return 'unreachable'
  if (isReady) return 'ready'
  return isKnown ? 'booting' : 'connecting'
}

/** How near a runtime is to answering. */
export type RuntimePhase = 'connecting' | 'booting' | 'ready' | 'unreachable'

/** What `useSession` gives. */
export type UseSession = ReturnType<typeof useSession>

/** By the service, which also reaches a session that is parked; it knows the newest question, the runtime every one. */
async function answerQuestion(session: SessionHandle, requestId: string, answers: readonly (readonly string[])[]) {
  try {
    return await session.answerQuestion(
      answers.map((labels) => [...labels]),
      requestId,
    )
  } catch (error) {
    if (!isApiError(error) || error.code !== 'already_answered') throw error
    return session.questions.reply(requestId, answers)
  }
}

const orClassified = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error) => {
    throw Object.assign(new Error(classifySendError(error).message), classifySendError(error))
  })
