'use client'
import type { OperatorCalls } from '../client/operator-calls.ts'
import { hookClient, svcKey, useSvcMutation, useSvcQuery } from './svc-query.ts'

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
 * Background jobs by name, and those that failed for good, with `retry` and `discard`. For operators.
 *
 * @example
 * const { counts, dead, retry } = useOperatorJobs()
 */
export function useOperatorJobs() {
  const key = svcKey('operator', 'jobs')
  const stale = [key, svcKey('operator', 'health')]
  return {
    counts: useSvcQuery([...key, 'counts'], 'volatile', () => hookClient().operator.jobs.list()),
    dead: useSvcQuery([...key, 'dead'], 'volatile', () => hookClient().operator.jobs.dead()),
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
 * The people of the instance. For operators.
 *
 * @example
 * const { data } = useOperatorUsers('ada@')
 */
export function useOperatorUsers(search = '') {
  const read = () => hookClient().operator.users.list(search === '' ? {} : { q: search })
  return useSvcQuery(svcKey('operator', 'users', search), 'volatile', read)
}

/**
 * The machines of the instance and what they use, with `destroy`. For operators.
 *
 * @example
 * const { data, destroy } = useOperatorSandboxes()
 */
export function useOperatorSandboxes() {
  const key = svcKey('operator', 'sandboxes')
  return {
    ...useSvcQuery(key, 'volatile', () => hookClient().operator.sandboxes.list()),
    destroy: useSvcMutation((sandboxId: string) => hookClient().operator.sandboxes.destroy(sandboxId), key),
  }
}
