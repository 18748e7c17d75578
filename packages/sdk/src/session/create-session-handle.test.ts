import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { configureSvc, platformConfig } from '../config/platform-config.ts'
import { SessionNotReadyError } from '../errors/session-errors.ts'
import { getSessionHealth } from '../runtime/get-session-health.ts'
import { getClient } from '../runtime/runtime-client.ts'
import { runWithSvc } from '../server/scope.ts'
import { createSessionHandle } from './create-session-handle.ts'
import { noteCreated } from './session-registry.ts'
import { startFakePlatform } from './testing/fake-platform.ts'

const SEED = Number(process.env.SVC_TEST_SEED ?? Date.now() % 2 ** 31)
let platform: Awaited<ReturnType<typeof startFakePlatform>>
beforeEach(async () => {
  platform = await startFakePlatform()
  configureSvc({ backendUrl: platform.url, getToken: async () => 't' })
})
afterEach(() => platform.stop())

const open = () => createSessionHandle(platformConfig, (call) => call(), 'p1', 's1')
const refuse = (status: number, code = 'x') => ({ status, json: { error: 'no', code } })

describe('becoming ready', () => {
  test('callers at once share one start, and another handle reuses what it gave', async () => {
    const expected = { opencodeSessionId: 'ses_1', sandboxId: 'sb1', runtimeUrl: `${platform.url}/v1/p/sb1/8000` }
    const session = open()
    expect(await Promise.all([session.ensureReady(), session.ensureReady(), open().ensureReady()])).toEqual([
      expected,
      expected,
      expected,
    ])
    expect(await open().ensureReady()).toEqual(expected)
    expect(platform.requests(/POST .*\/start$/)).toHaveLength(1)
    expect(platform.requests(/\/start$/)[0]?.query.get('wait_ms')).toBe('8000')
    expect(getClient().url).toBe(expected.runtimeUrl)
  })

  test('it polls on while the start may still succeed', async () => {
    const answers = [
      refuse(503),
      refuse(429),
      { json: { stage: 'provisioning', retriable: true } },
      { json: { stage: 'starting', retriable: true } },
    ]
    platform.state.override = ({ path }) => (path.endsWith('/start') ? answers.shift() : undefined)
    await open().ensureReady()
    expect(platform.requests(/\/start$/)).toHaveLength(5)
  })

  test.each([
    [{ stage: 'failed', retriable: false, failure: { message: 'no image' } }, /no image/],
    [{ stage: 'stopped', retriable: false, reason: 'runtime_wake_cooldown' }, /runtime_wake_cooldown/],
    [{ stage: 'ready', retriable: true, sandbox: null, opencode_session_id: 'ses_1' }, /ready/],
    [{ stage: 'ready', retriable: true, sandbox: { external_id: 'sb1' }, opencode_session_id: null }, /ready/],
  ])('%j ends it', async (start, message) => {
    platform.state.start = start
    const failure = await open()
      .ensureReady()
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'RUNTIME_UNAVAILABLE', message: expect.stringMatching(message) })
    platform.state.start = { stage: 'starting', retriable: true }
    await expect(open().ensureReady({ readyTimeoutMs: 10 })).rejects.toMatchObject({ code: 'RUNTIME_UNAVAILABLE' })
  })

  test('who waits for a session does not ask another service for it that is configured meanwhile', async () => {
    platform.state.start = { stage: 'starting', retriable: true }
    const ready = open().ensureReady()
    const failure = ready.catch((error: unknown) => error)
    await vi.waitFor(() => expect(platform.requests(/\/start$/)).toHaveLength(1), 20_000)
    const next = await startFakePlatform()
    onTestFinished(next.stop)
    configureSvc({ backendUrl: next.url, getToken: async () => 't' })
    expect(await failure).toMatchObject({ code: 'RUNTIME_UNAVAILABLE' })
    expect(next.requests(/./)).toEqual([])
  })

  test('a refusal is thrown; a 404 of a session just created is not there yet', async () => {
    platform.state.override = ({ path }) => (path.endsWith('/start') ? refuse(404, 'not_found') : undefined)
    await expect(open().start()).rejects.toMatchObject({
      name: 'SessionStartError',
      status: 404,
      code: 'not_found',
      terminal: true,
    })
    await expect(open().ensureReady()).rejects.toMatchObject({ name: 'SessionStartError' })
    noteCreated('s1')
    expect(await open().start(5)).toBeNull()
    noteCreated('')
  })

  test('before it nothing is guessed; stop, restart and delete forget it', async () => {
    const session = open()
    expect(() => session.runtime).toThrow(SessionNotReadyError)
    expect(() => session.previewUrl(3000)).toThrow('previewUrl')
    expect(() => session.proxyUrl('http://localhost:3000')).toThrow(SessionNotReadyError)
    expect(await session.health()).toEqual({ status: 0, ok: false, health: null, body: '' })
    for (const forget of [session.stop, session.restart, session.delete, session.reloadConfig]) {
      await session.ensureReady()
      expect(session.runtime.url).toContain('/p/sb1/8000')
      await forget()
      expect(() => session.runtime).toThrow(SessionNotReadyError)
      expect(() => getClient()).toThrow('No runtime is active')
      expect(await getSessionHealth()).toMatchObject({ status: 0 })
    }
    expect(platform.requests(/\/start$/)).toHaveLength(4)
  })

  test('previews and health are those of its own sandbox', async () => {
    const session = open()
    await session.ensureReady()
    expect(session.previewUrl(3000, 'a')).toBe(`http://p3000-sb1.localhost:${platform.port}/a`)
    expect(session.proxyUrl('http://localhost:3000/x')).toBe(`http://p3000-sb1.localhost:${platform.port}/x`)
    expect(session.proxyUrl('https://example.com')).toBe('https://example.com')
    expect(await session.health()).toMatchObject({ status: 200, ok: true, health: { runtimeReady: true }, hop: null })
    expect(await getSessionHealth()).toMatchObject({ ok: true })
    expect(await getSessionHealth(null)).toMatchObject({ status: 0 })
    platform.state.override = () => ({ status: 503, json: { hop: 'daemon', target_status: 502 } })
    expect(await session.health()).toMatchObject({ status: 503, ok: false, hop: 'daemon', targetStatus: 502 })
  })

  test('in a scope the active runtime stays in the scope', async () => {
    const config = { backendUrl: platform.url, getToken: async () => 'scoped' }
    const session = createSessionHandle(
      () => config,
      (call) => runWithSvc(config, call),
      'p1',
      's1',
    )
    await session.ensureReady()
    expect(() => getClient()).toThrow('No runtime is active')
    await runWithSvc(config, async () => expect(getClient().url).toContain('sb1'))
    await session.runtime.app.agents()
    expect(platform.seen.at(-1)?.headers.authorization).toBe('Bearer scoped')
  })
})

describe('talking', () => {
  const answer = (parentID: string) => ({ info: { id: 'msg_a', role: 'assistant', parentID }, parts: [] })

  /** Plays a turn for each prompt that arrives. */
  const playTurns = () => {
    platform.state.override = ({ method, path, body }) => {
      if (method !== 'POST' || !path.endsWith('/prompts')) return undefined
      const { message_id: id } = JSON.parse(String(body))
      setTimeout(() => {
        platform.emit('session.idle', { sessionID: 'ses_1' })
        platform.emit('message.updated', { sessionID: 'ses_1', info: { id, role: 'user' } })
        platform.emit('session.idle', { sessionID: 'ses_child' })
        platform.state.messages = [answer('msg_other'), answer(id)]
        platform.emit('session.status', { sessionID: 'ses_1', status: { type: 'idle' } })
      }, 20)
      return undefined
    }
  }
  const sent = () => platform.requests(/POST .*prompts$/).map(({ body }) => JSON.parse(String(body)))

  test('send resolves with the answer to its own prompt', async () => {
    playTurns()
    for (let at = 0; at < 50; at++) platform.emit('session.idle', { sessionID: 'ses_1' })
    const reply = await open().send('hello')
    const [prompt] = sent()
    expect(reply).toEqual(answer(prompt.message_id))
    expect(prompt.message_id).toMatch(/^msg_[0-9a-f]{12}[A-Za-z0-9]{14}$/)
    expect(prompt).toMatchObject({
      parts: [{ type: 'text', text: 'hello' }],
      overrides: { model: { providerID: 'gw', modelID: 'a/b' }, agent: 'build' },
    })
    await expect.poll(() => platform.readers.size).toBe(0)
  })

  test('model and agent: of the call, else of the handle, else of the session, which is read once', async () => {
    playTurns()
    const session = open()
    const choice = (modelID: string) => ({ providerID: 'x', modelID })
    await session.send('1')
    session.setModel(choice('sticky'))
    session.setAgent('plan')
    await session.send('2')
    await session.send('3', { model: choice('once'), agent: 'ask' })
    session.setModel(undefined)
    await session.send('4')
    expect(sent().map(({ overrides }) => [overrides.model.modelID, overrides.agent])).toEqual([
      ['a/b', 'build'],
      ['sticky', 'plan'],
      ['once', 'ask'],
      ['a/b', 'plan'],
    ])
    expect(platform.requests(/GET projects\/p1\/sessions\/s1$/)).toHaveLength(1)
    const ids = sent().map(({ message_id: id }) => id)
    expect([...ids].sort()).toEqual(ids)
  })

  test('a prompt that is refused or cannot be delivered rejects', async () => {
    platform.state.override = ({ method, path }) =>
      method === 'POST' && path.endsWith('/prompts') ? refuse(402, 'credits') : undefined
    await expect(open().send('x')).rejects.toMatchObject({ name: 'BillingError' })
    platform.state.override = ({ method, path, body }) => {
      if (method !== 'POST' || !path.endsWith('/prompts')) return undefined
      const { message_id: id } = JSON.parse(String(body))
      platform.state.prompts = [{ message_id: id, state: 'failed', last_error: 'no agent' }]
      setTimeout(() => platform.emit('heartbeat', { latest: 0 }), 10)
      return undefined
    }
    await expect(open().send('x')).rejects.toMatchObject({ code: 'PROMPT_FAILED', message: 'no agent' })
  })

  test('the conversation’s other calls go to the runtime', async () => {
    const session = open()
    await session.messages({ limit: 2 })
    await session.abort()
    await session.rewind('msg_1')
    await session.restoreRewind()
    await session.permissions.list()
    await session.permissions.reply('per_1', 'once', 'ok')
    await session.questions.list()
    await session.questions.reply('que_1', [['A']])
    await session.questions.reject('que_2')
    const asked = platform.requests(/8000/).map(({ method, path, body }) => [method, path.slice(10), String(body)])
    expect(asked).toEqual([
      ['GET', '/session/ses_1/message', ''],
      ['POST', '/session/ses_1/abort', ''],
      ['POST', '/session/ses_1/revert', '{"messageID":"msg_1"}'],
      ['POST', '/session/ses_1/unrevert', ''],
      ['GET', '/permission', ''],
      ['POST', '/permission/per_1/reply', '{"reply":"once","message":"ok"}'],
      ['GET', '/question', ''],
      ['POST', '/question/que_1/reply', '{"answers":[["A"]]}'],
      ['POST', '/question/que_2/reject', ''],
    ])
  })

  test('a 401 of the sandbox is repeated once with another token', async () => {
    const tokens = ['a', 'a', 'b']
    const config = { backendUrl: platform.url, getToken: async () => tokens.shift() ?? 'b' }
    const session = createSessionHandle(
      () => config,
      (call) => call(),
      'p1',
      's1',
    )
    await session.ensureReady()
    tokens.splice(0, 9, 'a', 'a', 'b')
    platform.state.override = ({ headers }) => (headers.authorization === 'Bearer a' ? refuse(401) : undefined)
    await session.runtime.command.list()
    expect(platform.requests(/command/).map(({ headers }) => headers.authorization)).toEqual(['Bearer a', 'Bearer b'])
  })
})

test(`a captured run arrives whole, once and in order over cuts, delays and repeats (seed ${SEED})`, {
  timeout: 120_000,
}, async () => {
  await platform.stop()
  const rolls = fc.sample(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), {
    numRuns: 20_000,
    seed: SEED,
  })
  let at = 0
  platform = await startFakePlatform(() => rolls[at++ % rolls.length] ?? 0)
  const fixture = readFileSync(new URL('../../fixtures/runtime-events.txt', import.meta.url), 'utf8')
  const all = [...fixture.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data))
  const events = process.env.SVC_TEST_LONG === '1' ? all : all.slice(0, 400)
  for (const { type, properties } of events.slice(0, 200)) platform.log.push({ type, properties })
  configureSvc({ backendUrl: platform.url, getToken: async () => 't' })
  const arrived: number[] = []
  await new Promise<void>((resolve, reject) => {
    const stream = open().stream({
      maxConsecutiveHardFailures: 1000,
      timers: {
        now: () => Date.now(),
        schedule(callback, delayMs) {
          // Connecting and silence take their time; waiting before the next attempt, however many failed, does not.
          const isLimit = delayMs === 20_000 || delayMs > 30_000
          const timer = setTimeout(callback, isLimit ? delayMs : 1)
          return () => clearTimeout(timer)
        },
      },
      onParked: ({ lastError }) => reject(lastError),
      onEvent({ seq, type, properties }) {
        if (type === 'session.status' || type === 'lsp.updated') return
        arrived.push(seq ?? 0)
        if (seq === 200) for (const event of events.slice(200)) platform.emit(event.type, event.properties)
        expect({ type, properties }).toEqual(platform.log[(seq ?? 0) - 1])
        if (seq !== lastPlain(platform.log)) return
        if (platform.log.length < events.length) return
        stream.close()
        resolve()
      },
    })
  })
  const plain = events.flatMap(({ type }, index) => (/session\.status|lsp\.updated/.test(type) ? [] : [index + 1]))
  expect(arrived).toEqual(plain)
})

/** The number of the last event that no later one may replace. */
function lastPlain(log: readonly { type: string }[]): number {
  return log.findLastIndex(({ type }) => type !== 'session.status' && type !== 'lsp.updated') + 1
}
