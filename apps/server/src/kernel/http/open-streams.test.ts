import { bytes, events, operation, type ServerEvent } from '@svc/contract'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { createFakeClock } from '../clock/index.ts'
import { anonymousPrincipal } from '../principal.ts'
import type { Gate } from './gate.ts'
import { handle } from './handle.ts'
import { createOpenStreams, type OpenStreams } from './open-streams.ts'
import { problem } from './problem.ts'
import { serveForTest } from './testing.ts'

const base = { summary: 'For a test', audit: 'none' as const, needs: 'signed-in' as const }
const Tick = z.object({ n: z.number() })
const watch = operation({ ...base, id: 'test.watch', at: 'GET /v1/watch', returns: events(Tick) })
const download = operation({ ...base, id: 'test.download', at: 'GET /v1/download', returns: bytes('text/plain') })

let server: Awaited<ReturnType<typeof serveForTest>>
let streams: OpenStreams
let clock: ReturnType<typeof createFakeClock>
/** Credentials that are refused from now on, and callers who may do nothing any more. */
const refused = new Set<string>()
const powerless = new Set<string>()
let isDatabaseAway = false

const gate: Gate = {
  async authenticate({ incoming }) {
    const token = incoming.headers.authorization?.slice(7) ?? ''
    if (token === '' || refused.has(token)) throw problem('unauthorized')
    const expiresAt = token === 'short' ? new Date(60_000) : undefined
    const known = { kind: 'user' as const, id: token, credentialId: `credential ${token}`, expiresAt }
    return { ...anonymousPrincipal({ type: 'human' }), ...known }
  },
  async authorize(_operation, principal) {
    if (isDatabaseAway) throw new Error('the database is away')
    if (powerless.has(principal.id)) throw problem('forbidden')
    return { principal, accountId: `account of ${principal.id}`, projectId: undefined }
  },
  refusal: async () => undefined,
}

beforeEach(async () => {
  refused.clear()
  powerless.clear()
  isDatabaseAway = false
  clock = createFakeClock(0)
  streams = createOpenStreams(gate, clock)
  async function* tickOnce(): AsyncGenerator<ServerEvent<{ n: number }>> {
    yield { id: 1, data: { n: 1 } }
    await new Promise(() => undefined)
  }
  async function* stall(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('the first part')
    await new Promise(() => undefined)
  }
  server = await serveForTest([handle(watch, () => tickOnce()), handle(download, () => stall())], { gate, streams })
})
afterEach(() => server.stop())

/** Reads the first piece, then tells whether the stream is still there. */
async function open(token: string, path = '/v1/watch') {
  const response = await fetch(`${server.url}${path}`, { headers: { authorization: `Bearer ${token}` } })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  await reader.read()
  let isCut = false
  const cut = reader.read().then(
    () => undefined,
    () => {
      isCut = true
    },
  )
  return { cut, isOpen: () => !isCut, leave: () => reader.cancel() }
}

test.each(['/v1/watch', '/v1/download'])('a revoked credential cuts its stream at %s and no other', async (path) => {
  const [ann, bob] = [await open('ann', path), await open('bob', path)]
  refused.add('ann')
  streams.endRevoked(['credential ann', 'credential of nobody'])
  await ann.cut
  expect(bob.isOpen()).toBe(true)
  refused.add('bob')
  streams.endRevoked(['credential bob'])
  await bob.cut
})

test('a credential whose grants only changed keeps the streams it may still read, and loses the others', async () => {
  const [ann, bob] = [await open('ann'), await open('bob')]
  powerless.add('bob')
  streams.endRevoked(['credential ann', 'credential bob'])
  await bob.cut
  expect(ann.isOpen()).toBe(true)
  await ann.leave()
})

test('when revocations may have been missed, every caller must show a good credential again', async () => {
  const [ann, bob] = [await open('ann'), await open('bob')]
  refused.add('ann')
  streams.endRevoked(undefined)
  await ann.cut
  expect(bob.isOpen()).toBe(true)
  await bob.leave()
})

test('whoever loses the permission loses the stream, when their own account changes', async () => {
  const [ann, bob] = [await open('ann'), await open('bob')]
  powerless.add('ann')
  powerless.add('bob')
  streams.recheck('account of ann')
  await ann.cut
  expect(bob.isOpen()).toBe(true)
  streams.recheck(undefined)
  await bob.cut
})

test('a credential that runs out cuts its streams within a second of its time, and no other', async () => {
  const [short, ann] = [await open('short'), await open('ann')]
  await clock.advance(59_500)
  expect(short.isOpen()).toBe(true)
  await clock.advance(1_500)
  await short.cut
  expect(ann.isOpen()).toBe(true)
})

test('a permission that runs out without anybody taking it away cuts the stream as well', async () => {
  const ann = await open('ann')
  powerless.add('ann')
  await clock.advance(15_000)
  await ann.cut
  await clock.advance(60_000)
  expect(clock.pendingTimers()).toBe(0)
})

test('while nobody can say who may, streams stay for a moment, and are cut when it lasts', async () => {
  const [ann, bob] = [await open('ann'), await open('bob')]
  isDatabaseAway = true
  streams.recheck(undefined)
  await clock.advance(3_000)
  expect([ann.isOpen(), bob.isOpen()]).toEqual([true, true])
  isDatabaseAway = false
  powerless.add('ann')
  await clock.advance(2_000)
  await ann.cut
  expect(bob.isOpen()).toBe(true)
  isDatabaseAway = true
  streams.recheck(undefined)
  await clock.advance(12_000)
  await bob.cut
})
