import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { appendEvents } from '../../apps/server/src/sessions/store/log.ts'
import { followEvents, type SessionWorld, startSessionWorld } from './session-world.ts'

/** The stream of a session's log, as readers meet it. No machine is needed: what is in the log is what is served. */

let world: SessionWorld
beforeAll(async () => {
  // Without machines sessions wait, and nobody but the test writes to their logs.
  world = await startSessionWorld({ SVC_MAX_MACHINES: '0' })
}, 120_000)
afterAll(() => world?.stop())

const rounds = process.env.SVC_TEST_LONG === '1' ? 1000 : 100

async function makeSession() {
  const made = await world.call('POST /sessions', {})
  expect([made.status, made.body]).toMatchObject([202, { status: 'queued' }])
  const sessionId = String(made.body.session_id)
  return { sessionId, path: `/v1/projects/${world.projectId}/sessions/${sessionId}/events` }
}

async function write(sessionId: string, count: number): Promise<number> {
  const { db, sql } = world.platform.database
  const events = Array.from({ length: count }, () => ({ type: 'test.tick', properties: { at: Date.now() } }))
  const seq = await appendEvents(db, sessionId, events)
  const notice = { id: crypto.randomUUID(), topic: 'session.logged', payload: { session_id: sessionId, seq } }
  await sql`select pg_notify('svc_events', ${JSON.stringify(notice)})`
  return seq
}

test('writers at the same time leave no hole and no number twice', async () => {
  const { sessionId, path } = await makeSession()
  await Promise.all(Array.from({ length: 20 }, (_, index) => write(sessionId, 1 + (index % 7))))
  const total = Array.from({ length: 20 }, (_, index) => 1 + (index % 7)).reduce((sum, count) => sum + count, 0)
  const seen: number[] = []
  for await (const { id } of followEvents(world.url, world.owner, path)) {
    if (id !== undefined) seen.push(id)
    if (seen.length === total) break
  }
  expect(seen).toEqual(Array.from({ length: total }, (_, index) => index + 1))
})

test(`${rounds} reconnects with Last-Event-ID lose nothing and repeat nothing`, { timeout: 300_000 }, async () => {
  const { sessionId, path } = await makeSession()
  const seed = Number(process.env.SVC_TEST_SEED ?? Date.now() % 1_000_000)
  const random = seeded(seed)
  const seen: number[] = []
  let isWriting = true
  const writing = (async () => {
    while (isWriting) {
      await write(sessionId, 1 + Math.floor(random() * 5))
      await sleep(random() * 8)
    }
    return write(sessionId, 1)
  })()
  for (let round = 0; round < rounds; round += 1) {
    const cut = new AbortController()
    const take = 1 + Math.floor(random() * 6)
    let taken = 0
    const options = { signal: cut.signal, ...(seen.length > 0 ? { lastEventId: seen.at(-1) ?? 0 } : {}) }
    for await (const { id, data } of followEvents(world.url, world.owner, path, options)) {
      expect(data.type).not.toBe('stream.reset')
      if (id === undefined) continue
      seen.push(id)
      taken += 1
      if (taken >= take) break
    }
    cut.abort()
  }
  isWriting = false
  const last = await writing
  for await (const { id } of followEvents(world.url, world.owner, path, { lastEventId: seen.at(-1) ?? 0 })) {
    if (id !== undefined) seen.push(id)
    if (id === last) break
  }
  expect(seen, `seed ${seed}`).toEqual(Array.from({ length: last }, (_, index) => index + 1))
})

test('a hundred readers each get everything, and one that reads nothing harms nobody', {
  timeout: 120_000,
}, async () => {
  const { sessionId, path } = await makeSession()
  const stuck = openStuckReader(path)
  const total = 400
  const readers = Array.from({ length: 100 }, async () => {
    const seen: number[] = []
    for await (const { id } of followEvents(world.url, world.owner, path)) {
      if (id !== undefined) seen.push(id)
      if (id === total) break
    }
    return seen
  })
  for (let written = 0; written < total; ) written = await write(sessionId, 10)
  const expected = Array.from({ length: total }, (_, index) => index + 1)
  for (const seen of await Promise.all(readers)) expect(seen).toEqual(expected)
  stuck.destroy()
})

test('a reader from before the log’s beginning is told to reload, and goes on from its oldest event', async () => {
  const { sessionId, path } = await makeSession()
  await write(sessionId, 10)
  const { sql } = world.platform.database
  await sql`update svc.session_logs set first_seq = 6 where session_id = ${sessionId}`
  await sql`delete from svc.session_events where session_id = ${sessionId} and seq < 6`
  const frames = []
  for await (const frame of followEvents(world.url, world.owner, `${path}?after=2`)) {
    frames.push(frame)
    if (frame.id === 10) break
  }
  expect(frames[0]?.data).toEqual({ type: 'stream.reset', properties: { oldest: 6, latest: 10 } })
  expect(frames.flatMap(({ id }) => id ?? [])).toEqual([6, 7, 8, 9, 10])
})

test('a heartbeat without a number tells where the log stands', async () => {
  const { sessionId, path } = await makeSession()
  await write(sessionId, 3)
  for await (const { id, data } of followEvents(world.url, world.owner, `${path}?after=3`)) {
    expect([id, data]).toEqual([undefined, { type: 'heartbeat', properties: { latest: 3 } }])
    break
  }
})

test('what the log says is what messages say, after any number of pieces', async () => {
  const { sessionId } = await makeSession()
  const { db, sql } = world.platform.database
  await sql`update svc.sessions set conversation_id = 'ses_1' where session_id = ${sessionId}`
  const info = { id: 'msg_000000000001aaaaaaaaaaaaaa', sessionID: 'ses_1', role: 'assistant', time: { created: 1 } }
  const part = { id: 'prt_1', messageID: info.id, sessionID: 'ses_1', type: 'text', text: 'A' }
  const piece = (delta: string) => ({
    type: 'message.part.delta',
    properties: { sessionID: 'ses_1', messageID: info.id, partID: 'prt_1', field: 'text', delta },
  })
  await appendEvents(db, sessionId, [
    { type: 'message.updated', properties: { sessionID: 'ses_1', info } },
    { type: 'message.part.updated', properties: { sessionID: 'ses_1', part } },
    piece('B\u0000'),
  ])
  const first = await world.call(`GET /sessions/${sessionId}/messages`)
  expect(first.body).toMatchObject({ seq: 3, messages: [{ info: { id: info.id }, parts: [{ text: 'AB\u0000' }] }] })
  await appendEvents(db, sessionId, [piece('C'), piece('D')])
  const second = await world.call(`GET /sessions/${sessionId}/messages`)
  expect(second.body).toMatchObject({ seq: 5, messages: [{ parts: [{ text: 'AB\u0000CD' }] }] })
})

/** Opens the stream and never reads a byte of it. */
function openStuckReader(path: string) {
  const { hostname, port } = new URL(world.url)
  const socket = connect(Number(port), hostname)
  socket.pause()
  // The server may cut whoever does not read.
  socket.on('error', () => undefined)
  const { authorization } = world.owner.headers
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: ${authorization}\r\n\r\n`)
  return socket
}

function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}
