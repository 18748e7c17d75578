'use client'
import type { OperatorCalls } from '../client/operator-calls.ts'
import { useSvcPages } from './svc-pages.ts'
import { hookClient, svcKey, useSvcMutation, useSvcQuery } from './svc-query.ts'

type Pages<List extends (...args: never) => Promise<unknown>> = readonly Awaited<ReturnType<List>>[]

/**
 * How the instance and its parts are. For operators.
 *
 * @example
 * const { data: health } = useOperatorHealth()
 */
export function useOperatorHealth() {
  return useSvcQuery(svcKey('operator', 'health'), 'volatile', () => hookClient().operator.health())
}

/**
 * Background jobs by name, and those that failed for good (a page at a time), with `retry` and `discard`. For operators.
 *
 * @example
 * const { counts, dead, retry } = useOperatorJobs()
 */
export function useOperatorJobs() {
  const key = svcKey('operator', 'jobs')
  const stale = [key, svcKey('operator', 'health')]
  return {
    counts: useSvcQuery([...key, 'counts'], 'volatile', () => hookClient().operator.jobs.list()),
    dead: useSvcPages([...key, 'dead'], 'volatile', ({ operator }, cursor) => operator.jobs.dead({ cursor }), joinJobs),
    retry: useSvcMutation((jobId: string) => hookClient().operator.jobs.retry(jobId), ...stale),
    discard: useSvcMutation((jobId: string) => hookClient().operator.jobs.discard(jobId), ...stale),
  }
}

/**
 * The settings of the instance, with `update`. For operators.
 *
 * @example
 * const { data: settings, update } = useOperatorSettings()
 */
export function useOperatorSettings() {
  const key = svcKey('operator', 'settings')
  return {
    ...useSvcQuery(key, 'config', () => hookClient().operator.settings.get()),
    update: useSvcMutation(
      (input: Parameters<OperatorCalls['settings']['update']>[0]) => hookClient().operator.settings.update(input),
      key,
    ),
  }
}

/**
 * Mails that the instance keeps instead of sending them. For operators.
 *
 * @example
 * const { data } = useOperatorMailbox()
 */
export function useOperatorMailbox() {
  return useSvcQuery(svcKey('operator', 'mailbox'), 'volatile', () => hookClient().operator.mailbox())
}

/**
 * The people of the instance, a page at a time. For operators.
 *
 * @example
 * const { data, hasNextPage, fetchNextPage } = useOperatorUsers('ada@')
 */
export function useOperatorUsers(search = '') {
  return useSvcPages(
    svcKey('operator', 'users', search),
    'volatile',
    ({ operator }, cursor) => operator.users.list({ cursor, q: search === '' ? undefined : search }),
    joinUsers,
  )
}

/**
 * The machines of the instance and what they use, a page at a time, with `destroy`. For operators.
 *
 * @example
 * const { data, destroy } = useOperatorSandboxes()
 */
export function useOperatorSandboxes() {
  const key = svcKey('operator', 'sandboxes')
  return {
    ...useSvcPages(key, 'volatile', ({ operator }, cursor) => operator.sandboxes.list({ cursor }), joinSandboxes),
    destroy: useSvcMutation((sandboxId: string) => hookClient().operator.sandboxes.destroy(sandboxId), key),
  }
}

/**
 * How fresh limits and prices of models are, with `refresh`. For operators.
 *
 * @example
 * const { data: catalog, refresh } = useOperatorCatalog()
 */
export function useOperatorCatalog() {
  const key = svcKey('operator', 'catalog')
  return {
    ...useSvcQuery(key, 'config', () => hookClient().operator.catalog.get()),
    refresh: useSvcMutation(() => hookClient().operator.catalog.refresh(), key),
  }
}

const joinJobs = (pages: Pages<OperatorCalls['jobs']['dead']>) => ({ jobs: pages.flatMap(({ jobs }) => jobs) })

const joinUsers = (pages: Pages<OperatorCalls['users']['list']>) => ({ users: pages.flatMap(({ users }) => users) })

const joinSandboxes = (pages: Pages<OperatorCalls['sandboxes']['list']>) => ({
  sandboxes: pages.flatMap(({ sandboxes }) => sandboxes),
})
