import { totalmem } from 'node:os'
import { problem } from '../../kernel/http/index.ts'
import type { Parts } from '../parts.ts'
import { countActive, countMachines, countOthers, type Db } from '../store/sessions.ts'

const defaultPerProject = 100
const defaultCreatesPerHour = 100
const hourMs = 3_600_000

/** Headers of a success: how many more may be started within the hour. */
export async function takeCreation({ kernel, limits }: Parts, projectId: string): Promise<Record<string, string>> {
  const limit = limits?.createsPerHour ?? defaultCreatesPerHour
  const take = await kernel.rateLimits.rateLimit({ name: 'sessions:create', limit, windowMs: hourMs }).take(projectId)
  const headers = { 'x-ratelimit-limit': String(limit), 'x-ratelimit-remaining': String(Math.max(0, take.remaining)) }
  if (take.allowed) return headers
  throw problem('project_session_create_limit', {
    headers: { ...headers, 'retry-after': String(take.retryAfterSeconds) },
    extras: { retry_after_seconds: take.retryAfterSeconds, limit },
  })
}

/** In a transaction that holds the account. `spare` is how many places must stay free besides. */
export async function requireRoom(
  { limits }: Parts,
  db: Db,
  { accountId, projectId }: { accountId: string; projectId: string },
  spare = 0,
): Promise<void> {
  const perAccount = (await limits?.perAccount?.(accountId)) ?? null
  if (perAccount !== null) {
    const active = await countActive(db, { accountId })
    if (active + spare >= perAccount) {
      throw problem('concurrent_session_limit', { extras: { limit: perAccount, active_sessions: active } })
    }
  }
  const perProject = limits?.perProject ?? defaultPerProject
  const inProject = await countActive(db, { projectId })
  if (inProject + spare >= perProject) {
    throw problem('project_session_limit', { extras: { limit: perProject, active_sessions: inProject } })
  }
}

const machineBytes = 400 * 1024 ** 2
const leastMachines = 4

/** Whether this server seems to have a machine left; a session without one waits. Exact under `lockMachines`. */
export async function hasCapacity(parts: Parts, db: Db): Promise<boolean> {
  return (await countMachines(db, parts.nodeId)) < maxMachines(parts)
}

/** Whether this server has one for this session, besides those of all others. Only under `lockMachines`. */
export async function hasMachineFor(parts: Parts, db: Db, sessionId: string): Promise<boolean> {
  return (await countOthers(db, parts.nodeId, sessionId)) < maxMachines(parts)
}

const maxMachines = ({ kernel }: Parts) =>
  kernel.config.maxMachines ?? Math.max(leastMachines, Math.floor(totalmem() / machineBytes))
