import { setTimeout as sleep } from 'node:timers/promises'
import type { HealthCheck } from '../capability.ts'
import type { Database } from './open-database.ts'

const answerBoundMs = 2_000

type Checked = Pick<Database, 'sql' | 'state'>

/** Answers within about two seconds, also when the database does not. */
export function databaseCheck(database: Checked, boundMs = answerBoundMs): HealthCheck {
  return {
    name: 'database',
    required: true,
    read: async () => {
      const state = database.state()
      if (await answersWithin(database, boundMs)) {
        return { status: 'ok', detail: state === 'external' ? 'external PostgreSQL' : 'embedded PostgreSQL' }
      }
      return {
        status: 'down',
        detail: `PostgreSQL does not answer (${state}).`,
        next: 'See the log, or run: npm run doctor',
      }
    },
  }
}

async function answersWithin(database: Checked, boundMs: number): Promise<boolean> {
  const bound = new AbortController()
  // Rejects only by the abort, when the database was faster.
  const late = sleep(boundMs, false, { signal: bound.signal }).catch(() => false)
  return Promise.race([ask(database), late]).finally(() => bound.abort())
}

/** Checks that come while one still waits share its question: a stalled database does not gather a queue of them. */
const asking = new WeakMap<Checked, Promise<boolean>>()

function ask(database: Checked): Promise<boolean> {
  const open = asking.get(database)
  if (open) return open
  const answer = database.sql`select 1`
    .then(
      () => true,
      // What failed is in the log of the part that failed; health only tells that it did.
      () => false,
    )
    .finally(() => asking.delete(database))
  asking.set(database, answer)
  return answer
}
