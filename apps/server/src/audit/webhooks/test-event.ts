import { newId } from '../../kernel/ids/index.ts'
import { type EventRecord, eventColumns, firstPreviousHash, type StoredEvent, sealEvent } from '../event-record.ts'

/** The synthetic event a new webhook gets. It is in no chain, which its sequence of 0 says. */
export function makeTestEvent(accountId: string, at: Date): EventRecord {
  const nothing = Object.fromEntries(eventColumns.map((column) => [column, null])) as unknown as StoredEvent
  const event = {
    ...nothing,
    event_id: newId(),
    occurred_at: at,
    account_id: accountId,
    actor_type: 'system',
    outcome: 'success',
    phase: 'completed',
    action: 'webhook.test',
    metadata: { test: true },
  }
  return sealEvent(event, 0, firstPreviousHash)
}
