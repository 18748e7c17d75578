import { createHash } from 'node:crypto'
import type { Sql } from 'postgres'
import { type Clock, systemClock } from '../clock/index.ts'
import type { Envelope, Place } from '../crypto/index.ts'
import type { Tx } from '../database/index.ts'
import { newId } from '../ids/index.ts'
import { AttemptLostError, IdempotencyError } from './errors.ts'
import { type CallKey, idempotencyStore, type KeptAnswer, type KeptRow, keepInTransaction } from './store.ts'

export interface IdempotentCall extends CallKey {
  /** See `hashBody`. The same key with another hash is a conflict. */
  bodyHash: string
}

export interface Answer {
  status: number
  headers: Record<string, string>
  /** Anything JSON can hold. */
  body: unknown
  /** The answer shows a credential once: it is kept encrypted. */
  secret?: boolean
}

export interface GivenAnswer extends Answer {
  /** True for a repeat that got the first answer. */
  replayed: boolean
}

export interface Attempt {
  /**
   * Keeps the answer in the transaction of the change, so that a crash right after the commit cannot make a repeat do
   * the work twice. Call it last. Throws, and so rolls back, when another attempt took over meanwhile.
   */
  keepIn(tx: Pick<Tx, 'db'>, answer: Answer): Promise<void>
  /** Aborted when another attempt took over. */
  readonly signal: AbortSignal
}

export interface Idempotency {
  /**
   * Runs once per caller, route and key. A repeat gets the first answer; one that comes while the first runs waits for
   * it for a moment. What throws, or answers with a server error, frees the key.
   */
  runIdempotent(call: IdempotentCall, run: (attempt: Attempt) => Promise<Answer>): Promise<GivenAnswer>
}

export interface IdempotencyOptions {
  sql: Sql
  envelope: Envelope
  clock?: Clock
  /** How long a repeat waits for the first to finish before it is told to come back. */
  waitMs?: number
  /** After a crash the key is free again when this has passed. A running attempt renews it. */
  leaseMs?: number
  keepMs?: number
  maxAnswerBytes?: number
}

const KEY = /^[A-Za-z0-9_.:+/=-]{1,255}$/
const FIRST_LOOK_MS = 25
const LAST_LOOK_MS = 250
const KEEP_AGAIN_MS = 500
const KEEP_TRYING_MS = 600_000
/** Answers about the moment rather than about the request: the next try deserves its own. */
const PASSING_STATUSES = new Set([401, 408, 425, 429])

export function createIdempotency(options: IdempotencyOptions): Idempotency {
  const { sql, envelope, clock = systemClock } = options
  const { waitMs = 5_000, leaseMs = 30_000, keepMs = 86_400_000, maxAnswerBytes = 262_144 } = options
  const store = idempotencyStore(sql)

  async function runIdempotent(call: IdempotentCall, run: (attempt: Attempt) => Promise<Answer>): Promise<GivenAnswer> {
    if (!KEY.test(call.key)) throw new IdempotencyError('idempotency_key_invalid')
    const waitUntilMs = clock.nowMs() + waitMs
    for (let lookMs = FIRST_LOOK_MS; ; lookMs = Math.min(lookMs * 2, LAST_LOOK_MS)) {
      const attemptId = newId()
      if (await store.claim({ ...call, attemptId, leaseMs, keepMs })) return runFirst(call, attemptId, run)
      const row = await store.find(call)
      if (row && row.bodyHash !== call.bodyHash) throw new IdempotencyError('idempotency_conflict')
      if (row && !row.isRunning) return openAnswer(call, row)
      if (clock.nowMs() >= waitUntilMs) throw new IdempotencyError('idempotency_in_flight')
      await clock.sleep(lookMs)
    }
  }

  async function runFirst(
    call: IdempotentCall,
    attemptId: string,
    run: (attempt: Attempt) => Promise<Answer>,
  ): Promise<GivenAnswer> {
    const lease = keepLease(() => store.extend(attemptId, call, leaseMs), leaseMs, clock)
    const attempt: Attempt = {
      signal: lease.lost,
      async keepIn(tx, given) {
        if (await keepInTransaction(tx.db, attemptId, call, await pack(call, given))) return
        throw new AttemptLostError('Another attempt with this Idempotency-Key took over.')
      },
    }
    const answer = await run(attempt).catch(async (error: unknown) => {
      lease.stop()
      await release(call, attemptId)
      throw error
    })
    if (!isWorthKeeping(answer)) {
      lease.stop()
      await release(call, attemptId)
    } else if (await keep(call, attemptId, answer)) lease.stop()
    else void keepLater(call, attemptId, answer, lease)
    return { ...answer, replayed: false }
  }

  async function release(call: CallKey, attemptId: string): Promise<void> {
    await store.release(attemptId, call).catch(() => {
      // The key is free when its lease ends; what the run gave or threw matters more to the caller.
    })
  }

  /** The work is done: an answer that cannot be kept is marked as gone, and never is the key freed for a second run. */
  async function keep(call: CallKey, attemptId: string, answer: Answer): Promise<boolean> {
    const gone = { status: answer.status, answer: null, sealedAnswer: null }
    const kept = await pack(call, answer).catch(() => gone)
    return store.keep(attemptId, call, kept).then(
      () => true,
      () => false,
    )
  }

  /** While the database takes no answer, the lease holds the key. */
  async function keepLater(call: CallKey, attemptId: string, answer: Answer, lease: Lease): Promise<void> {
    const untilMs = clock.nowMs() + KEEP_TRYING_MS
    while (!lease.lost.aborted && clock.nowMs() < untilMs) {
      await clock.sleep(KEEP_AGAIN_MS)
      if (await keep(call, attemptId, answer)) break
    }
    lease.stop()
  }

  async function pack(call: CallKey, { status, headers, body, secret }: Answer): Promise<KeptAnswer> {
    const text = JSON.stringify({ headers, body: body ?? null })
    if (Buffer.byteLength(text) > maxAnswerBytes) return { status, answer: null, sealedAnswer: null }
    if (!secret) return { status, answer: text, sealedAnswer: null }
    return { status, answer: null, sealedAnswer: await envelope.seal(placeOf(call), text) }
  }

  async function openAnswer(call: CallKey, row: KeptRow): Promise<GivenAnswer> {
    const text = row.sealedAnswer ? await envelope.openText(placeOf(call), row.sealedAnswer) : row.answer
    if (text === null || row.status === null) throw new IdempotencyError('idempotency_answer_gone')
    const { headers, body }: Pick<Answer, 'headers' | 'body'> = JSON.parse(text)
    return { status: row.status, headers, body, ...(row.sealedAnswer ? { secret: true } : {}), replayed: true }
  }

  return { runIdempotent }
}

/** The body as it was sent, byte for byte. */
export function hashBody(body: string | Uint8Array): string {
  return createHash('sha256').update(body).digest('base64url')
}

export function isIdempotencyKey(value: string): boolean {
  return KEY.test(value)
}

function isWorthKeeping({ status }: Answer): boolean {
  return status < 500 && !PASSING_STATUSES.has(status)
}

function placeOf({ caller, route, key }: CallKey): Place {
  return { scope: 'platform', table: 'idempotency_keys', row: JSON.stringify([caller, route, key]), field: 'answer' }
}

interface Lease {
  readonly lost: AbortSignal
  stop(): void
}

/** Renews the lease three times in its length. One failed renewal is made up for by the next. */
function keepLease(extend: () => Promise<boolean>, leaseMs: number, clock: Clock): Lease {
  const lost = new AbortController()
  const stopping = new AbortController()
  async function renew(): Promise<void> {
    for (;;) {
      await clock.sleep(leaseMs / 3, stopping.signal)
      if (stopping.signal.aborted) return
      const isOurs = await extend().catch(() => true)
      if (!isOurs && !stopping.signal.aborted) lost.abort()
      if (!isOurs) return
    }
  }
  void renew()
  return { lost: lost.signal, stop: () => stopping.abort() }
}
