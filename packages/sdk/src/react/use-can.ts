'use client'
import { type QueryClient, skipToken, useQueries } from '@tanstack/react-query'
import type { Operations, Verdict } from '../generated/operations.ts'
import { hookClient, type MaybeId, svcKey } from './svc-query.ts'

type Probe = Operations['iam.explain']['body']['probes'][number]

/** Where an action would be done. */
export interface CanTarget {
  readonly accountId: MaybeId
  readonly projectId?: MaybeId
  readonly object?: Probe['object']
}

/** One question of `useCans`. */
export interface CanProbe extends CanTarget {
  readonly action: string
}

/** Whether something may be done. While it is not known it may not. */
export interface CanAnswer {
  readonly allowed: boolean
  readonly reason: string | undefined
  readonly isLoading: boolean
  readonly isError: boolean
}

const FRESH_MS = 5 * 60_000
const MAX_PROBES = 100

/**
 * Whether the signed-in person may do something, and why.
 *
 * @example
 * const { allowed, reason } = useCan('project.delete', { accountId, projectId })
 */
export function useCan(action: string, target: CanTarget): CanAnswer {
  const [answer] = useCans([{ ...target, action }])
  return answer ?? UNKNOWN
}

/**
 * The same for several actions; they travel in one request.
 *
 * @example
 * const [edit, remove] = useCans([{ action: 'project.write', accountId }, { action: 'project.delete', accountId }])
 */
export function useCans(probes: readonly CanProbe[]): CanAnswer[] {
  const results = useQueries({
    queries: probes.map(({ action, accountId, projectId, object }) => ({
      queryKey: svcKey('can', accountId, action, projectId ?? null, object ?? null),
      queryFn: accountId
        ? () => askAlong(accountId, { action, project_id: projectId ?? undefined, object })
        : skipToken,
      staleTime: FRESH_MS,
    })),
  })
  return results.map(({ data, isLoading, isError }) => ({
    allowed: data?.allowed === true,
    reason: data?.reason,
    isLoading,
    isError,
  }))
}

/**
 * Asks again what may be done. Call it after any change of assignments.
 *
 * @example
 * await createAssignment(accountId, input)
 * await invalidatePermissionProbes(queryClient)
 */
export function invalidatePermissionProbes(queryClient: QueryClient): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: svcKey('can') })
}

const UNKNOWN: CanAnswer = { allowed: false, reason: undefined, isLoading: false, isError: false }

interface Waiting {
  readonly probe: Probe
  resolve(verdict: Verdict): void
  reject(error: unknown): void
}

const waiting = new Map<string, Waiting[]>()

/** Questions of the same moment go to the service together. */
function askAlong(accountId: string, probe: Probe): Promise<Verdict> {
  return new Promise((resolve, reject) => {
    const batch = waiting.get(accountId)
    if (batch) {
      batch.push({ probe, resolve, reject })
      return
    }
    waiting.set(accountId, [{ probe, resolve, reject }])
    queueMicrotask(() => flush(accountId))
  })
}

function flush(accountId: string): void {
  const batch = waiting.get(accountId) ?? []
  waiting.delete(accountId)
  for (let at = 0; at < batch.length; at += MAX_PROBES) ask(accountId, batch.slice(at, at + MAX_PROBES))
}

async function ask(accountId: string, batch: readonly Waiting[]): Promise<void> {
  try {
    const { results } = await hookClient().iam.explain(accountId, { probes: batch.map(({ probe }) => probe) })
    for (const [at, { resolve, reject }] of batch.entries()) {
      const verdict = results[at]
      if (verdict) resolve(verdict)
      else reject(new Error('The service left a question without an answer.'))
    }
  } catch (error) {
    for (const { reject } of batch) reject(error)
  }
}
