import { sql } from 'drizzle-orm'
import type { DrizzleTransaction, Sql } from '../../kernel/database/index.ts'
import { type EventRecord, eventColumns, firstPreviousHash, type StoredEvent } from '../event-record.ts'

const columns = eventColumns.map((column) => `e.${column}`).join(', ')

/** Chains with events that wait for their place. */
export async function listUnsealedChains(db: Sql, limit: number): Promise<string[]> {
  // Steps from one account to the next in the index instead of reading every waiting event.
  const rows = await db<{ chain: string }[]>`
    with recursive chains (chain) as (
      (select account_id from svc.audit_unsealed order by account_id limit 1)
      union all
      select (select account_id from svc.audit_unsealed where account_id > chain order by account_id limit 1)
      from chains where chain is not null
    )
    select chain from chains where chain is not null limit ${limit}`
  return rows.map(({ chain }) => chain)
}

export async function hasUnsealed(db: Sql, chainId: string): Promise<boolean> {
  const rows = await db`select 1 as one from svc.audit_unsealed where account_id = ${chainId} limit 1`
  return rows.length > 0
}

/** Held until the transaction ends. False when another sealer has it and the caller does not want to wait. */
export async function lockChain(db: DrizzleTransaction, chainId: string, wait: boolean): Promise<boolean> {
  const key = sql`hashtextextended(${`svc.audit.seal:${chainId}`}, 0)`
  if (wait) {
    await db.execute(sql`select pg_advisory_xact_lock(${key})`)
    return true
  }
  const { rows } = await db.execute<{ got: boolean }>(sql`select pg_try_advisory_xact_lock(${key}) as got`)
  return rows[0]?.got === true
}

export async function readHead(db: DrizzleTransaction, chainId: string): Promise<{ sequence: number; hash: string }> {
  const { rows } = await db.execute<{ sequence: string; hash: string }>(sql`
    select sequence, hash from svc.audit_seals where account_id = ${chainId} order by sequence desc limit 1`)
  const [head] = rows
  return head ? { sequence: Number(head.sequence), hash: head.hash } : { sequence: 0, hash: firstPreviousHash }
}

/** Transactions read times as text; a number needs no parsing. */
type UntimedEvent = Omit<StoredEvent, 'occurred_at'> & { readonly occurred_ms: string }

/** Oldest first. */
export async function readUnsealed(db: DrizzleTransaction, chainId: string, limit: number): Promise<StoredEvent[]> {
  const { rows } = await db.execute<UntimedEvent>(sql`
    select e.event_id, (extract(epoch from e.occurred_at) * 1000)::bigint::text as occurred_ms, ${sql.raw(columns)}
    from (
      select event_id, occurred_at from svc.audit_unsealed
      where account_id = ${chainId} order by occurred_at, event_id limit ${limit}
    ) waiting join svc.audit_events e using (event_id)
    order by waiting.occurred_at, waiting.event_id`)
  return rows.map(({ occurred_ms, ...event }) => ({ ...event, occurred_at: new Date(Number(occurred_ms)) }))
}

/** The places and the end of the waiting are one step, as the transaction is. */
export async function storeSeals(
  db: DrizzleTransaction,
  chainId: string,
  sealed: readonly EventRecord[],
): Promise<void> {
  const rows = sealed.map(({ sequence, event_id, occurred_at, previous_hash, hash }) => ({
    sequence,
    event_id,
    occurred_at,
    previous_hash,
    hash,
  }))
  await db.execute(sql`
    with sealed as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as row (sequence bigint, event_id uuid, occurred_at timestamptz, previous_hash text, hash text)
    ), stored as (
      insert into svc.audit_seals (account_id, sequence, event_id, previous_hash, hash)
      select ${chainId}::uuid, sequence, event_id, previous_hash, hash from sealed order by sequence
    )
    delete from svc.audit_unsealed waiting using sealed
    where waiting.account_id = ${chainId}::uuid and waiting.occurred_at = sealed.occurred_at
      and waiting.event_id = sealed.event_id`)
}
