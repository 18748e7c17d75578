import { sql as statement } from 'drizzle-orm'
import type { Sql } from 'postgres'
import type { DrizzleTransaction } from '../database/index.ts'

export interface CallKey {
  /** Who calls: keys of different callers never meet. */
  caller: string
  /** The operation, for example `POST /v1/projects`. */
  route: string
  key: string
}

export interface KeptRow {
  bodyHash: string
  isRunning: boolean
  status: number | null
  answer: string | null
  sealedAnswer: Buffer | null
}

export interface KeptAnswer {
  status: number
  answer: string | null
  sealedAnswer: Buffer | null
}

interface Claim extends CallKey {
  bodyHash: string
  attemptId: string
  leaseMs: number
  keepMs: number
}

/** The only place with SQL on `svc.idempotency_keys`. Time is the database's, which every node shares. */
export function idempotencyStore(sql: Sql) {
  return {
    /** True when the key is free, has expired, or belonged to an attempt that died: it is ours now. */
    async claim({ caller, route, key, bodyHash, attemptId, leaseMs, keepMs }: Claim): Promise<boolean> {
      const rows = await sql`
        insert into svc.idempotency_keys as held
          (caller, route, key, body_hash, attempt_id, leased_until, expires_at)
        values (${caller}, ${route}, ${key}, ${bodyHash}, ${attemptId},
          now() + ${leaseMs}::float8 * interval '1 millisecond', now() + ${keepMs}::float8 * interval '1 millisecond')
        on conflict (caller, route, key) do update set
          body_hash = excluded.body_hash, attempt_id = excluded.attempt_id, leased_until = excluded.leased_until,
          status = null, answer = null, sealed_answer = null, created_at = now(), expires_at = excluded.expires_at
        where held.expires_at <= now() or (held.leased_until <= now() and held.body_hash = excluded.body_hash)
        returning attempt_id`
      return rows.length === 1
    },

    async find({ caller, route, key }: CallKey): Promise<KeptRow | undefined> {
      const [row] = await sql<KeptRow[]>`
        select body_hash as "bodyHash", leased_until is not null as "isRunning", status, answer::text as answer,
          sealed_answer as "sealedAnswer"
        from svc.idempotency_keys where caller = ${caller} and route = ${route} and key = ${key}`
      return row
    },

    /** False when another attempt has taken over. */
    async extend(attemptId: string, { caller, route, key }: CallKey, leaseMs: number): Promise<boolean> {
      const result = await sql`
        update svc.idempotency_keys set leased_until = now() + ${leaseMs}::float8 * interval '1 millisecond'
        where caller = ${caller} and route = ${route} and key = ${key}
          and attempt_id = ${attemptId} and leased_until is not null`
      return result.count === 1
    },

    /** Changes nothing when the answer is already kept or another attempt has taken over. */
    async keep(attemptId: string, { caller, route, key }: CallKey, kept: KeptAnswer): Promise<void> {
      await sql`
        update svc.idempotency_keys
        set leased_until = null, status = ${kept.status}, answer = ${kept.answer}::text::json,
          sealed_answer = ${kept.sealedAnswer}
        where caller = ${caller} and route = ${route} and key = ${key}
          and attempt_id = ${attemptId} and leased_until is not null`
    },

    /** Frees the key of an attempt that gave no answer worth keeping. */
    async release(attemptId: string, { caller, route, key }: CallKey): Promise<void> {
      await sql`
        delete from svc.idempotency_keys
        where caller = ${caller} and route = ${route} and key = ${key}
          and attempt_id = ${attemptId} and leased_until is not null`
    },
  }
}

/** In the transaction of the change itself. False when the attempt is no longer the one that may finish. */
export async function keepInTransaction(
  db: DrizzleTransaction,
  attemptId: string,
  { caller, route, key }: CallKey,
  { status, answer, sealedAnswer }: KeptAnswer,
): Promise<boolean> {
  const sealed = sealedAnswer === null ? null : sealedAnswer.toString('hex')
  const { rowCount } = await db.execute(statement`
    update svc.idempotency_keys
    set leased_until = null, status = ${status}, answer = ${answer}::text::json,
      sealed_answer = decode(${sealed}::text, 'hex')
    where caller = ${caller} and route = ${route} and key = ${key}
      and attempt_id = ${attemptId}::uuid and leased_until is not null`)
  return rowCount === 1
}

/** Deletes keys after their 24 hours. */
export async function cleanIdempotencyKeys(sql: Sql): Promise<{ deleted: number }> {
  const result = await sql`delete from svc.idempotency_keys where expires_at <= now()`
  return { deleted: result.count }
}
