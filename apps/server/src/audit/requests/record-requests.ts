import { systemActor } from '../../kernel/actor.ts'
import { type StorableRow, toRow } from '../../kernel/audit/index.ts'
import type { Timer } from '../../kernel/clock/index.ts'
import type { Finished } from '../../kernel/http/index.ts'
import { isUuid } from '../../kernel/ids/index.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { findOwnAccounts, type Named, storeRows } from '../store/requests.ts'
import { describeRequest, readPathIds } from './describe-request.ts'

export interface RequestRecorder {
  /** Notes a finished request; it is stored with others a moment later. Never waits and never throws. */
  record(finished: Finished): void
  /** When it returns, every request that was recorded before the call is stored. */
  flush(): Promise<void>
  stop(): Promise<void>
}

/** How long a request may wait for others to be stored with. Another node's readers see it after at most this. */
const flushEveryMs = 250
const batchSize = 500
/** While the database is away this many wait; of those past it only the number is stored. */
const defaultMaxWaiting = 20_000

interface Waiting {
  readonly row: StorableRow
  /** Set when the call named an account or project but was not admitted to it. */
  readonly named: Named | undefined
}

type Parts = Pick<Kernel, 'database' | 'clock' | 'log'>

export function createRequestRecorder(
  { database, clock, log }: Parts,
  { maxWaiting = defaultMaxWaiting }: { maxWaiting?: number } = {},
): RequestRecorder {
  let waiting: Waiting[] = []
  let dropped = 0
  let timer: Timer | undefined
  let writing: Promise<void> = Promise.resolve()
  let stopped = false

  function record(finished: Finished): void {
    const { request, principal } = finished
    if (request.operation.audit === 'none' || !principal || principal.kind === 'anonymous') return
    if (waiting.length >= maxWaiting) dropped += 1
    else waiting.push(describe(finished, clock.now()))
    flushSoon(waiting.length >= batchSize ? 0 : flushEveryMs)
  }

  function flushSoon(delayMs: number): void {
    if (stopped || (timer && delayMs > 0)) return
    timer?.cancel()
    timer = clock.setTimer(delayMs, () => {
      timer = undefined
      flush().catch((error: unknown) => {
        log.warn('requests could not be written to the audit log yet', { error, waiting: waiting.length })
        flushSoon(flushEveryMs * 4)
      })
    })
  }

  function flush(): Promise<void> {
    const result = writing.then(writeWaiting)
    // The next flush starts after this one, however it ends; whoever asked for this one hears of its failure.
    writing = result.catch(() => undefined)
    return result
  }

  async function writeWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchSize)
      await storeBatch(batch)
      waiting = waiting.slice(batch.length)
    }
    if (dropped > 0) await storeDropped()
  }

  async function storeBatch(batch: readonly Waiting[]): Promise<void> {
    const accounts = await findOwnAccounts(
      database.sql,
      batch.flatMap(({ named }) => named ?? []),
    )
    const rows = batch.map(({ row }) => {
      const accountId = accounts.get(row.event_id)
      return accountId === undefined ? row : { ...row, account_id: accountId }
    })
    await storeRows(database.db, rows, (row, error) =>
      log.error('a request does not fit the audit log', { row, error }),
    )
  }

  async function storeDropped(): Promise<void> {
    const count = dropped
    const event = { action: 'audit.requests.dropped', outcome: 'failure', metadata: { count } }
    await storeRows(database.db, [toRow(systemActor, event)], () => undefined)
    dropped -= count
  }

  return {
    record,
    flush,
    async stop() {
      stopped = true
      timer?.cancel()
      await flush()
    },
  }
}

function describe(finished: Finished, at: Date): Waiting {
  const { principal, request } = finished
  const actor = principal?.actor ?? systemActor
  const row = toRow(actor, describeRequest(finished, at))
  if (row.account_id !== null || !principal || !isUuid(principal.id)) return { row, named: undefined }
  const { accountId = null, projectId = null } = readPathIds(request.operation.path, request.incoming.url ?? '')
  if (accountId === null && projectId === null) return { row, named: undefined }
  const named = { event_id: row.event_id, principal_id: principal.id, account_id: accountId, project_id: projectId }
  return { row, named }
}
