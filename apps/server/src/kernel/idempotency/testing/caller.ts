import { sql as statement } from 'drizzle-orm'
import { systemActor } from '../../actor.ts'
import { createEnvelope, loadMasterKeys } from '../../crypto/index.ts'
import { connectDatabase, parseConnectionString } from '../../database/index.ts'
import { type Answer, createIdempotency, IdempotencyError } from '../index.ts'

/** One server process. Each call makes a row in `effects`; how it ends is up to the test. */
const { url = '', mode = '', calls = '1', masterKey = '' } = process.env
const database = connectDatabase(parseConnectionString(url), { maxConnections: 8 })
const masterKeys = await loadMasterKeys({ dataDir: '.', environmentValue: masterKey })
const envelope = createEnvelope({ sql: database.sql, masterKeys })
// Who dies is waited for until its lease ends; the others have the usual one, which no busy machine lets lapse.
const leaseMs = mode.startsWith('die') ? 1_000 : 30_000
const idempotency = createIdempotency({ sql: database.sql, envelope, leaseMs, waitMs: 60_000 })
const call = { caller: 'user-1', route: 'POST /v1/things', key: `key-${mode}`, bodyHash: 'h' }

process.send?.('ready')
await new Promise((resolve) => process.once('message', resolve))
const answers = await Promise.allSettled(Array.from({ length: Number(calls) }, makeThing))
process.send?.(
  answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.body : describe(answer.reason))),
  () => process.disconnect(),
)
await database.disconnect()

function makeThing() {
  return idempotency.runIdempotent(call, (attempt) =>
    database.transact(systemActor, async (tx) => {
      const { rows } = await tx.db.execute(statement`insert into effects (pid) values (${process.pid}) returning id`)
      if (mode === 'die-before-commit') process.kill(process.pid, 'SIGKILL')
      const answer: Answer = { status: 201, headers: {}, body: { id: Number(rows[0]?.id) } }
      if (mode !== 'plain') await attempt.keepIn(tx, answer)
      if (mode === 'die-after-commit') tx.afterCommit(() => void process.kill(process.pid, 'SIGKILL'))
      return answer
    }),
  )
}

function describe(reason: unknown): unknown {
  return IdempotencyError.isInstance(reason) ? reason.code : String(reason)
}
