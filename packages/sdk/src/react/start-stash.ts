import type { RuntimePromptPart } from '../runtime/runtime-types.ts'
import { createMessageId } from '../session/send-prompt.ts'
import type { SendOptions, SessionHandle } from '../session/session-handle.ts'
import { generateSessionId } from '../sessions/generate-session-id.ts'
import { attempt, parseJson } from '../wire/parse-json.ts'
import { isRecord, readString } from '../wire/read-value.ts'

type Prompt = Parameters<SessionHandle['prompts']['send']>[0]

/** For pages and tests without storage, and when it is full. */
const memory = new Map<string, string>()

/**
 * Keeps the first prompt of a session until a screen opens it: `useSession` sends it then, once, also after the page
 * was loaded again.
 *
 * @example
 * const { session_id } = await project.sessions.create()
 * stashSessionStart(session_id, 'Fix the failing test')
 * navigate(`/projects/${projectId}/sessions/${session_id}`)
 */
export function stashSessionStart(
  sessionId: string,
  prompt: string | readonly RuntimePromptPart[],
  { model, agent }: SendOptions = {},
): void {
  const parts = typeof prompt === 'string' ? [{ type: 'text' as const, text: prompt }] : prompt
  // Named here and not when it is sent: a second delivery is the same prompt.
  const named = { client_message_id: generateSessionId(), message_id: createMessageId() }
  keep(sessionId, JSON.stringify({ ...named, parts, overrides: { model, agent } }))
}

/** The prompt that waits for a session, or undefined. It stays until it was delivered. */
export function readSessionStart(sessionId: string): Prompt | undefined {
  const text = attempt(() => storage()?.getItem(nameOf(sessionId))) ?? memory.get(sessionId)
  const kept = parseJson(text ?? '')?.value
  return isPrompt(kept) ? kept : undefined
}

/** Forgets the prompt that waited. */
export function dropSessionStart(sessionId: string): void {
  memory.delete(sessionId)
  attempt(() => storage()?.removeItem(nameOf(sessionId)))
}

function keep(sessionId: string, text: string): void {
  memory.set(sessionId, text)
  // A full or forbidden storage keeps the prompt for this page only.
  attempt(() => storage()?.setItem(nameOf(sessionId), text))
}

const nameOf = (sessionId: string): string => `svc.start.${sessionId}`

interface TextStorage {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** One tab's own storage, where there is one. */
function storage(): TextStorage | undefined {
  const host: typeof globalThis & { sessionStorage?: TextStorage } = globalThis
  return host.sessionStorage
}

function isPrompt(value: unknown): value is Prompt {
  return isRecord(value) && Array.isArray(value.parts) && readString(value.client_message_id) !== undefined
}
