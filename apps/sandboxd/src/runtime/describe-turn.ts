import type { Daemon } from '../daemon.ts'
import { callRuntime } from './call-runtime.ts'

export interface Turn {
  readonly turn_in_flight: boolean
  readonly turn_end: 'completed' | 'failed' | 'abandoned' | null
  /** The last prompt has no answer and nobody works on one. */
  readonly turn_orphaned_prompt: boolean
}

const none: Turn = { turn_in_flight: false, turn_end: null, turn_orphaned_prompt: false }

/** How the last turn of a conversation stands, or the turn of one prompt. Nothing when the runtime cannot say. */
export async function describeTurn(daemon: Daemon, sessionId: string | null, messageId: string | null): Promise<Turn> {
  const conversation = sessionId ?? daemon.conversationId
  if (conversation === undefined) return none
  try {
    const id = encodeURIComponent(conversation)
    const [statuses, messages] = await Promise.all([
      callRuntime(daemon, 'GET', '/session/status'),
      callRuntime(daemon, 'GET', `/session/${id}/message?limit=50`),
    ])
    return readTurn(isBusy(statuses, conversation), messages, messageId)
  } catch {
    // Down, starting, or without such a conversation: no turn can be running in it.
    return none
  }
}

function isBusy(statuses: unknown, conversation: string): boolean {
  const type = readPath(statuses, conversation, 'type')
  return type === 'busy' || type === 'retry'
}

function readTurn(inFlight: boolean, messages: unknown, messageId: string | null): Turn {
  const infos = (Array.isArray(messages) ? messages : []).map((message: unknown) => readPath(message, 'info'))
  const prompt = infos.findLast(
    (info) => readPath(info, 'role') === 'user' && (messageId === null || readPath(info, 'id') === messageId),
  )
  const promptId = readPath(prompt, 'id')
  const answer = infos.findLast(
    (info) => readPath(info, 'role') === 'assistant' && readPath(info, 'parentID') === promptId,
  )
  if (inFlight) return { ...none, turn_in_flight: true }
  if (prompt === undefined) return none
  if (answer === undefined) return { ...none, turn_orphaned_prompt: true }
  return { ...none, turn_end: describeEnd(answer) }
}

function describeEnd(answer: unknown): Turn['turn_end'] {
  const fault = readPath(answer, 'error', 'name')
  if (fault === 'MessageAbortedError') return 'abandoned'
  if (fault !== undefined) return 'failed'
  return readPath(answer, 'time', 'completed') === undefined ? 'abandoned' : 'completed'
}

function readPath(value: unknown, ...path: readonly string[]): unknown {
  let current = value
  for (const name of path) {
    if (typeof current !== 'object' || current === null) return undefined
    current = (current as Record<string, unknown>)[name]
  }
  return current
}
