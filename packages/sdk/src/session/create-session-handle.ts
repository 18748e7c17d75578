import { buildCalls, callService, type RunCall } from '../client/build-calls.ts'
import { parseCall } from '../client/parse-calls.ts'
import { normalizeBase } from '../config/backend-url.ts'
import type { ConfigSource } from '../config/svc-config.ts'
import { SessionNotReadyError } from '../errors/session-errors.ts'
import { openEventStream } from '../events/open-event-stream.ts'
import { createFiles } from '../files/create-files.ts'
import { proxyLocalhostUrl } from '../localhost/parse-localhost-url.ts'
import { type PreviewOptions, portOf, rewriteLocalhostUrl } from '../localhost/preview-options.ts'
import { activateRuntime, findActiveRuntime } from '../runtime/active-runtime.ts'
import { poolRuntimes, streamEvents } from '../runtime/build-runtime.ts'
import { readHealth } from '../runtime/get-session-health.ts'
import type { RuntimeClient } from '../runtime/runtime-calls.ts'
import type { ModelChoice } from '../runtime/runtime-types.ts'
import { generateSessionId } from '../sessions/generate-session-id.ts'
import { toRecord } from '../wire/read-value.ts'
import { findPreviewTemplate, knownPreviewTemplate } from './preview-template.ts'
import { createMessageId, runPrompt } from './send-prompt.ts'
import type { SendOptions, SessionHandle, SessionStreamOptions } from './session-handle.ts'
import { type SessionRuntime, shareSession } from './session-registry.ts'
import { startOnce, waitForStart } from './start-session.ts'

const READY_MS = 180_000

type ReadyOptions = NonNullable<Parameters<SessionHandle['ensureReady']>[0]>

/** A handle of one session. Makes no request. */
export function createSessionHandle(
  source: ConfigSource,
  run: RunCall,
  projectId: string,
  sessionId: string,
): SessionHandle {
  const rest = buildCalls('session', source, run, [projectId, sessionId]) as unknown as SessionHandle
  const shared = () => shareSession(source(), projectId, sessionId)
  const runtimeAt = poolRuntimes(source, run)
  let model: ModelChoice | undefined
  let agent: string | undefined
  let persisted: Promise<SendOptions> | undefined

  const begin = async (readyTimeoutMs: number): Promise<SessionRuntime> => {
    const session = shared()
    try {
      const [runtime] = await Promise.all([
        waitForStart(source, projectId, sessionId, readyTimeoutMs),
        findPreviewTemplate(source()),
      ])
      session.runtime = runtime
      return runtime
    } finally {
      session.starting = undefined
    }
  }
  const ensureReady = async ({ readyTimeoutMs = READY_MS }: ReadyOptions = {}): Promise<SessionRuntime> => {
    const session = shared()
    session.starting ??= session.runtime ? undefined : begin(readyTimeoutMs)
    const runtime = (await session.starting) ?? need('ensureReady')
    activateRuntime(source(), runtime.runtimeUrl)
    return runtime
  }
  const need = (action: string): SessionRuntime => {
    const { runtime } = shared()
    if (!runtime) throw new SessionNotReadyError(action)
    return runtime
  }
  /** Runs a call of the conversation once the session is ready. */
  const talk = <T>(call: (runtime: RuntimeClient, conversationId: string) => Promise<T>): Promise<T> =>
    run(async () => {
      const ready = await ensureReady()
      return call(runtimeAt(ready.runtimeUrl), ready.opencodeSessionId)
    })
  /** The same call, and what was known of the runtime is no longer. */
  const forgetAfter =
    <A extends unknown[], T>(call: (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> => {
      const session = shared()
      try {
        return await call(...args)
      } finally {
        if (session.runtime?.runtimeUrl === findActiveRuntime(source())) activateRuntime(source(), undefined)
        session.runtime = undefined
      }
    }
  const previewOptions = (action: string): PreviewOptions => {
    const { sandboxId } = need(action)
    const apiBaseUrl = normalizeBase(source().backendUrl)
    const backendPort = portOf(new URL(apiBaseUrl))
    return { sandboxId, apiBaseUrl, backendPort, previewUrlTemplate: knownPreviewTemplate(source()) }
  }
  const readPersisted = async (): Promise<SendOptions> => {
    const { metadata, agent_name: name } = await self.get()
    const [, providerID, modelID] = /^([^/]+)\/(.+)$/.exec(String(toRecord(metadata).opencode_model)) ?? []
    return { agent: name, model: providerID && modelID ? { providerID, modelID } : undefined }
  }
  const send = async (text: string, options: SendOptions = {}) => {
    const { opencodeSessionId } = await ensureReady()
    persisted ??= readPersisted().catch((error) => {
      persisted = undefined
      throw error
    })
    const own = await persisted
    const messageId = createMessageId()
    return runPrompt(self, opencodeSessionId, messageId, () =>
      rest.prompts.send({
        client_message_id: generateSessionId(),
        message_id: messageId,
        parts: [{ type: 'text', text }],
        overrides: { model: options.model ?? model ?? own.model, agent: options.agent ?? agent ?? own.agent },
      }),
    )
  }
  const eventsPath = `projects/${encodeURIComponent(projectId)}/sessions/${encodeURIComponent(sessionId)}/events`
  // A later `configureSvc` may change the address.
  const eventsUrl = () => `${normalizeBase(source().backendUrl)}/${eventsPath}`
  const log = { ...streamEvents(eventsUrl, source, run), numbered: true }

  const self: SessionHandle = {
    ...rest,
    projectId,
    sessionId,
    start: (waitMs) => run(() => startOnce(source, projectId, sessionId, waitMs)),
    delete: forgetAfter(rest.delete),
    restart: forgetAfter(rest.restart),
    stop: forgetAfter(rest.stop),
    reloadConfig: forgetAfter(rest.reloadConfig),
    cost: () =>
      run(
        () =>
          callService(source, parseCall(['Gusage/session-costs/:', 'project_id']), [
            sessionId,
            projectId,
          ]) as ReturnType<SessionHandle['cost']>,
      ),
    ensureReady: (options) => run(() => ensureReady(options)),
    health: (init) => run(() => readHealth(source(), shared().runtime?.runtimeUrl, init)),
    previewUrl: (port, path = '/') => rewriteLocalhostUrl(port, path, previewOptions('previewUrl')),
    proxyUrl: (url) => proxyLocalhostUrl(url, previewOptions('proxyUrl')),
    get runtime() {
      return runtimeAt(need('runtime').runtimeUrl)
    },
    setModel(choice) {
      model = choice
    },
    setAgent(name) {
      agent = name
    },
    send: (text, options) => run(() => send(text, options)),
    abort: () => talk((runtime, id) => runtime.session.abort(id)),
    messages: (query) => talk((runtime, id) => runtime.session.messages(id, query)),
    rewind: (messageID) => talk((runtime, id) => runtime.session.revert(id, { messageID })),
    restoreRewind: () => talk((runtime, id) => runtime.session.unrevert(id)),
    permissions: {
      list: () => talk((runtime) => runtime.permission.list()),
      reply: (...args) => talk((runtime) => runtime.permission.reply(...args)),
    },
    questions: {
      list: () => talk((runtime) => runtime.question.list()),
      reply: (...args) => talk((runtime) => runtime.question.reply(...args)),
      reject: (requestId) => talk((runtime) => runtime.question.reject(requestId)),
    },
    stream: (options: SessionStreamOptions) => openEventStream({ ...options, client: log }),
    files: createFiles(() => talk(async (runtime) => runtime)),
  }
  return self
}
