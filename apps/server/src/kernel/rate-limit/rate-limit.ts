import { createHash } from 'node:crypto'
import type { Sql } from 'postgres'
import type { Clock } from '../clock/index.ts'
import { countInBlocks } from './count-in-blocks.ts'
import type { RateRule, Take } from './rate-rule.ts'

export interface RateLimit extends RateRule {
  /** Counts one call. Exactly `limit` calls per key and window are allowed, whichever process they come from. */
  take(key: string): Promise<Take>
  /** Forgets a key, for example after a successful sign-in. */
  reset(key: string): Promise<void>
}

export interface RateLimits {
  rateLimit(rule: RateRule): RateLimit
  /**
   * The same for a limit so high that a question for every call would cost more than the calls: they are taken from the
   * database `blockSize` at a time. Never are more than `limit` calls allowed, and one process allows exactly so many. Of
   * several processes each may end a window with up to `blockSize - 1` calls that the others were refused. To be made
   * once: it remembers what it has taken.
   */
  blockLimit(rule: RateRule, blockSize: number): RateLimit
}

export interface RateLimitsOptions {
  sql: Sql
  /** Without one the database's clock decides, which is one clock for every process. */
  clock?: Clock
}

interface Row {
  allowed: boolean
  taken: number
  resetAt: Date
  leftMs: number
}

export function createRateLimits({ sql, clock }: RateLimitsOptions): RateLimits {
  function rateLimit(rule: RateRule): RateLimit {
    checkRule(rule)
    return {
      ...rule,
      async take(key) {
        const row = await takeOne(sql, rule, shorten(key), clock?.now() ?? null)
        return {
          allowed: row.allowed,
          remaining: rule.limit - row.taken,
          resetAt: row.resetAt,
          retryAfterSeconds: row.allowed ? 0 : Math.max(1, Math.ceil(row.leftMs / 1_000)),
        }
      },
      async reset(key) {
        await sql`delete from svc.rate_limits where name = ${rule.name} and key = ${shorten(key)}`
      },
    }
  }

  function blockLimit(rule: RateRule, blockSize: number): RateLimit {
    checkRule(rule)
    const counted = { ...rule, name: `${rule.name} by ${blockSize}`, limit: rule.limit / blockSize }
    checkRule(counted)
    const { take, forget } = countInBlocks(rule, {
      blockSize,
      takeBlock: (key) => takeOne(sql, counted, shorten(key), clock?.now() ?? null),
      nowMs: clock?.nowMs ?? (() => performance.now()),
    })
    return {
      ...rule,
      take,
      async reset(key) {
        forget(key)
        await rateLimit(counted).reset(key)
      },
    }
  }

  return { rateLimit, blockLimit }
}

/** One statement: the row lock of the upsert puts concurrent calls in line, so each sees the count of the one before. */
async function takeOne(sql: Sql, { name, limit, windowMs }: RateRule, key: string, now: Date | null): Promise<Row> {
  const [row] = await sql<Row[]>`
    insert into svc.rate_limits as held (name, key, started_at, expires_at, taken, allowed)
    select ${name}, ${key}, at, at + ${windowMs}::float8 * interval '1 millisecond', 1, true
    from (select coalesce(${now}::timestamptz, clock_timestamp()) as at) as present
    on conflict (name, key) do update set
      started_at = case when held.expires_at <= excluded.started_at then excluded.started_at else held.started_at end,
      expires_at = case when held.expires_at <= excluded.started_at then excluded.expires_at else held.expires_at end,
      taken = case when held.expires_at <= excluded.started_at then 1 else least(held.taken + 1, ${limit}::int) end,
      allowed = held.expires_at <= excluded.started_at or held.taken < ${limit}::int
    returning allowed, taken, expires_at as "resetAt",
      (extract(epoch from expires_at - coalesce(${now}::timestamptz, clock_timestamp())) * 1000)::float8 as "leftMs"`
  if (!row) throw new Error(`the rate limit ${name} gave no answer`)
  return row
}

/** Deletes windows that have ended. Nothing depends on it but the size of the table. */
export async function cleanRateLimits(sql: Sql, now: Date = new Date()): Promise<{ deleted: number }> {
  const result = await sql`delete from svc.rate_limits where expires_at < ${now}`
  return { deleted: result.count }
}

const MAX_KEY_CHARS = 256

/** Keys come from the outside (addresses, mail addresses, tokens' owners): a long one is kept as its hash. */
function shorten(key: string): string {
  if (key.length <= MAX_KEY_CHARS && !key.includes('\0')) return key
  return `sha256:${createHash('sha256').update(key).digest('hex')}`
}

function checkRule({ name, limit, windowMs }: RateRule): void {
  if (Number.isSafeInteger(limit) && limit > 0 && limit < 2 ** 31 && windowMs > 0) return
  throw new Error(`The rate limit ${name} needs a positive whole limit and window, not ${limit} per ${windowMs} ms.`)
}
