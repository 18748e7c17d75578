import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operation } from '@svc/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createEnvelope, loadMasterKeys } from '../crypto/index.ts'
import type { Database } from '../database/index.ts'
import { createTestDatabase } from '../database/testing.ts'
import { createIdempotency } from '../idempotency/index.ts'
import { anonymousPrincipal } from '../principal.ts'
import { answer } from './answer.ts'
import { closedGate } from './gate.ts'
import { handle } from './handle.ts'
import { problem } from './problem.ts'
import { createReplay } from './replay.ts'
import { serveForTest } from './testing.ts'

const create = operation({
  id: 'things.create',
  at: 'POST /v1/things',
  summary: 'Make a thing',
  needs: 'signed-in',
  audit: 'request',
  body: z.object({ name: z.string() }),
  returns: z.object({ number: z.number() }),
  status: 201,
  errors: ['not_found'],
})

let database: Database
let server: Awaited<ReturnType<typeof serveForTest>>
let folder: string
let made = 0

beforeAll(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'svc-replay-'))
  const masterKeys = await loadMasterKeys({ dataDir: folder })
  const idempotency = createIdempotency({
    sql: database.sql,
    envelope: createEnvelope({ sql: database.sql, masterKeys }),
  })
  const run = handle(create, async ({ body }) => {
    if (body.name === 'missing') throw problem('not_found')
    made += 1
    const number = made
    await new Promise((resolve) => setTimeout(resolve, 20))
    return answer({ number }, { headers: { location: `/v1/things/${number}` } })
  })
  server = await serveForTest([run], {
    replay: createReplay(idempotency),
    gate: {
      ...closedGate,
      authenticate: async (request) => ({
        ...anonymousPrincipal({ type: 'human' }),
        kind: 'user',
        id: String(request.incoming.headers.authorization),
      }),
      authorize: async (_operation, principal) => ({ principal, accountId: undefined, projectId: undefined }),
    },
  })
})
afterAll(async () => {
  await server.stop()
  await database.close()
  await rm(folder, { recursive: true })
})

function send(key: string, name = 'a', caller = 'me') {
  return fetch(`${server.url}/v1/things`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key, authorization: caller },
    body: JSON.stringify({ name }),
  })
}

const newKey = () => randomBytes(8).toString('hex')

describe('Idempotency-Key', () => {
  test('a hundred calls at once with one key make one thing, and all get its answer', async () => {
    const [before, key] = [made, newKey()]
    const replies = await Promise.all(Array.from({ length: 100 }, () => send(key)))
    const bodies = await Promise.all(replies.map((reply) => reply.json()))
    expect(made - before).toBe(1)
    expect(new Set(bodies.map((body) => JSON.stringify(body)))).toEqual(new Set([JSON.stringify({ number: made })]))
    expect(
      replies.every((reply) => reply.status === 201 && reply.headers.get('location') === `/v1/things/${made}`),
    ).toBe(true)
    expect(replies.filter((reply) => reply.headers.get('idempotency-replayed') === 'true')).toHaveLength(99)
  })

  test('the same key with another body is a conflict', async () => {
    const key = newKey()
    await send(key)
    const second = await send(key, 'b')
    expect([second.status, await second.json()]).toMatchObject([409, { code: 'idempotency_conflict' }])
  })

  test('another caller’s key is another key', async () => {
    const [before, key] = [made, newKey()]
    await send(key, 'a', 'me')
    await send(key, 'a', 'you')
    expect(made - before).toBe(2)
  })

  test('a refusal frees the key: nothing had happened', async () => {
    const key = newKey()
    expect((await send(key, 'missing')).status).toBe(404)
    expect((await send(key, 'here')).status).toBe(201)
  })

  test('a key of other characters is refused', async () => {
    const reply = await send('a b')
    expect([reply.status, await reply.json()]).toMatchObject([400, { code: 'idempotency_key_invalid' }])
  })
})
