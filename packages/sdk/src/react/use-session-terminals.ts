'use client'
import type { RuntimePty } from '../runtime/runtime-types.ts'
import { askForTicket } from './preview-ticket.ts'
import { hookClient, type MaybeId, requireId, svcKey, useSvcMutation, useSvcQuery } from './svc-query.ts'

/** How many characters a terminal shows. */
export interface TerminalSize {
  readonly rows: number
  readonly cols: number
}

/** What happens on a connection to a terminal. */
export interface TerminalEvents {
  onData(text: string): void
  /** The program ended, or the connection did: then `isOver` is false, and connecting again goes on. */
  onClose(isOver: boolean): void
}

/** One terminal, connected. */
export interface TerminalConnection {
  send(text: string): void
  resize(size: TerminalSize): Promise<unknown>
  close(): void
}

const route = (terminalId = '') => `svc/pty${terminalId && `/${encodeURIComponent(terminalId)}`}`

/** The machine of a session, woken if it has to be. */
async function readyRuntime(projectId: string, sessionId: string) {
  const session = hookClient().session(projectId, sessionId)
  await session.ensureReady()
  return session.runtime
}

/**
 * The terminals of a session's machine, with `create` and `remove`. They live on while nobody looks.
 *
 * @example
 * const { data: terminals, create } = useSessionTerminals(projectId, sessionId)
 */
export function useSessionTerminals(projectId: MaybeId, sessionId: MaybeId) {
  const key = svcKey('project', projectId, 'session', sessionId, 'terminals')
  const ask = <T>(method: string, terminalId?: string, body?: unknown) =>
    requireId(projectId, (project) =>
      requireId(sessionId, async (id) =>
        (await readyRuntime(project, id)).request<T>({ method, path: route(terminalId), ...(body ? { body } : {}) }),
      ),
    )
  const read = projectId && sessionId ? () => ask<RuntimePty[]>('GET') : null
  return {
    ...useSvcQuery(key, 'volatile', read),
    create: useSvcMutation((size: TerminalSize) => ask<RuntimePty>('POST', undefined, { size }), key),
    remove: useSvcMutation((terminalId: string) => ask('DELETE', terminalId), key),
  }
}

/**
 * Connects to a terminal: first what it showed last, then what it shows. It wakes nothing: a terminal ends with its
 * machine, and connecting again must not bring back a session that somebody parked.
 *
 * @example
 * const terminal = await connectTerminal(projectId, sessionId, terminalId, { onData: write, onClose })
 * terminal.send('ls\r')
 */
export async function connectTerminal(
  projectId: string,
  sessionId: string,
  terminalId: string,
  { onData, onClose }: TerminalEvents,
): Promise<TerminalConnection> {
  const { runtime } = hookClient().session(projectId, sessionId)
  const address = new URL(`${runtime.url}/${route(terminalId)}/connect`)
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:'
  address.searchParams.set('token', await askForTicket())
  const socket = new WebSocket(address)
  socket.addEventListener('message', ({ data }) => onData(String(data)))
  socket.addEventListener('close', ({ code }) => onClose(code === 1000))
  return {
    send: (text) => socket.readyState === WebSocket.OPEN && socket.send(text),
    resize: (size) => runtime.request({ method: 'PATCH', path: route(terminalId), body: { size } }),
    close: () => socket.close(),
  }
}
