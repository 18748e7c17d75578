import type { operations, ResultOf } from '@svc/contract'
import { type Call, problem } from '../../kernel/http/index.ts'
import { openSession } from '../access.ts'
import { askDaemon } from '../lifecycle/transport.ts'
import type { Parts } from '../parts.ts'

type Ops = typeof operations.sessions
type Candidate = ResultOf<Ops['previews']>['candidates'][number]

/** Where programs usually listen, when nobody says more. */
export const previewCandidates = [
  { id: 'web', label: 'Web', port: 3000 },
  { id: 'vite', label: 'Vite', port: 5173 },
  { id: 'dev-server', label: 'Dev server', port: 8080 },
  { id: 'api-docs', label: 'API docs', port: 8001 },
].map((candidate) => ({ ...candidate, path: '/', status: 'unknown' as const, source: 'default' }))

/** The daemon, the runtime and other ports of the machine itself. */
const blocked = [22, 8000, 4096, 4097, 3211, 4098, 3128]
const lookMs = 5_000

export function requireSharable(port: number): number {
  if (!blocked.includes(port)) return port
  throw problem('share_port_blocked', { say: `Port ${port} is never shared.` })
}

/** Ports that something listens on come first; of a machine that cannot be asked only the usual ones are known. */
export async function listPreviews(parts: Parts, call: Call<Ops['previews']>): Promise<{ candidates: Candidate[] }> {
  const { row } = await openSession(parts, call)
  const machine = row.status === 'running' ? await parts.sandboxes.findMachine(row.sessionId) : undefined
  if (machine?.status !== 'active') return { candidates: previewCandidates }
  const listening = await findListening(parts, machine.externalId)
  return { candidates: listening ? joinPorts(listening) : previewCandidates }
}

function joinPorts(listening: readonly number[]): Candidate[] {
  const usual = previewCandidates.map((one) => ({
    ...one,
    status: listening.includes(one.port) ? ('online' as const) : ('offline' as const),
  }))
  const found = listening
    .filter((port) => !usual.some((one) => one.port === port))
    .map((port) => ({
      id: `port-${port}`,
      label: `Port ${port}`,
      port,
      path: '/',
      status: 'online' as const,
      source: 'listening',
    }))
  return [
    ...usual.filter(({ status }) => status === 'online'),
    ...found,
    ...usual.filter(({ status }) => status === 'offline'),
  ]
}

async function findListening(parts: Parts, externalId: string): Promise<number[] | undefined> {
  try {
    const { body } = await askDaemon(parts, externalId, {
      method: 'POST',
      path: '/svc/exec',
      body: { argv: ['cat', '/proc/net/tcp', '/proc/net/tcp6'], timeoutMs: lookMs },
      timeoutMs: lookMs,
    })
    return typeof body.stdout === 'string' ? readListening(body.stdout) : undefined
  } catch (error) {
    // A machine that went away just now is as one that cannot be asked.
    parts.kernel.log.debug('the ports of a machine could not be read', { error })
    return undefined
  }
}

/** A row of Linux' table of sockets: number, own address and port, the other side's, state; 0A is listening. */
const listeningRow = /^\s*\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} 0A /gm

/** The ports in the machine's table of sockets that something listens on and that may be shown, in order. */
export function readListening(table: string): number[] {
  const ports = [...table.matchAll(listeningRow)].map(([, hex = '']) => Number.parseInt(hex, 16))
  return [...new Set(ports)].filter((port) => !blocked.includes(port)).sort((a, b) => a - b)
}
