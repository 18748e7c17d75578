import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement } from 'react'
import { act, create, type ReactTestRenderer } from 'react-test-renderer'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { configureSvc } from '../config/platform-config.ts'
import { ApiError } from '../errors/api-error.ts'
import { RuntimeNotReadyError } from '../errors/session-errors.ts'
import { noteCreated } from '../session/session-registry.ts'
import { startFakePlatform } from '../session/testing/fake-platform.ts'
import { classifySendError } from './classify-send-error.ts'
import { stashSessionStart } from './start-stash.ts'
import { type UseSession, type UseSessionOptions, useSession } from './use-session.ts'

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true, IS_REACT_NATIVE_TEST_ENVIRONMENT: true })

let platform: Awaited<ReturnType<typeof startFakePlatform>>
let tree: ReactTestRenderer | undefined
let latest: UseSession
const queries = new QueryClient()

beforeEach(async () => {
  platform = await startFakePlatform()
  configureSvc({ backendUrl: platform.url, getToken: async () => 't' })
})
afterEach(async () => {
  await act(async () => tree?.unmount())
  await platform.stop()
})

async function mount(enabled = true, options: UseSessionOptions = {}, sessionId = 's1'): Promise<void> {
  const Host = () => {
    latest = useSession('p1', sessionId, { enabled, ...options })
    return null
  }
  await act(async () => {
    tree = create(createElement(QueryClientProvider, { client: queries }, createElement(Host)))
  })
}
const settle = (check: () => void) =>
  vi.waitFor(async () => {
    await act(async () => new Promise((resolve) => setTimeout(resolve, 5)))
    check()
  }, 60_000)

const user = { info: { id: 'msg_000000000001aaaaaaaaaaaaaa', sessionID: 'ses_1', role: 'user' }, parts: [] }

test('a session is shown from what is stored, then as it streams', async () => {
  platform.state.messages = [user]
  await mount()
  await settle(() => expect(latest).toMatchObject({ phase: 'ready', runtimePhase: 'ready', isLoading: false }))
  expect(latest.messages).toHaveLength(1)
  const info = { id: 'msg_000000000002aaaaaaaaaaaaaa', sessionID: 'ses_1', role: 'assistant' }
  platform.emit('message.updated', { sessionID: 'ses_1', info })
  platform.emit('session.status', { sessionID: 'ses_1', status: { type: 'busy' } })
  platform.emit('question.asked', { sessionID: 'ses_1', id: 'que_1', questions: [] })
  await settle(() => expect(latest).toMatchObject({ isBusy: true, questions: [{ id: 'que_1' }] }))
  expect(latest.messages.map((message) => message.info.role)).toEqual(['user', 'assistant'])
})

test('after a gap everything is read anew, and what follows is told once', async () => {
  const info = { id: 'msg_000000000002aaaaaaaaaaaaaa', sessionID: 'ses_1', role: 'assistant' }
  const part = { id: 'prt_1', messageID: info.id, sessionID: 'ses_1', type: 'text', text: 'a' }
  platform.state.messages = [{ info, parts: [part] }]
  await mount()
  await settle(() => expect(latest.messages).toHaveLength(1))
  const streams = () => platform.requests(/GET .*\/events/).length
  await settle(() => expect(streams()).toBe(1))
  platform.emit('stream.reset', {})
  await settle(() => expect(streams()).toBe(2))
  expect(platform.requests(/GET .*\/messages/)).toHaveLength(2)
  platform.emit('message.part.delta', {
    sessionID: 'ses_1',
    messageID: info.id,
    partID: 'prt_1',
    field: 'text',
    delta: 'b',
  })
  platform.emit('session.status', { sessionID: 'ses_1', status: { type: 'busy' } })
  await settle(() => expect(latest.isBusy).toBe(true))
  expect(latest.messages[0]?.parts).toMatchObject([{ text: 'ab' }])
})

test('a session compacts while the message that is a summary is not finished', async () => {
  await mount()
  await settle(() => expect(latest.phase).toBe('ready'))
  const info = { id: 'msg_000000000002aaaaaaaaaaaaaa', sessionID: 'ses_1', role: 'assistant', summary: true }
  platform.emit('session.status', { sessionID: 'ses_1', status: { type: 'busy' } })
  platform.emit('message.updated', { sessionID: 'ses_1', info: { ...info, time: { created: 1 } } })
  await settle(() => expect(latest.isCompacting).toBe(true))
  platform.emit('message.updated', { sessionID: 'ses_1', info: { ...info, time: { created: 1, completed: 2 } } })
  await settle(() => expect(latest.isCompacting).toBe(false))
})

test('everything that the contract names is there', async () => {
  await mount(false)
  const named = `projectId sessionId opencodeSessionId messages status questions permissions diffs todos hasOlder
    isLoadingOlder loadOlder endReason phase stage agentName sandbox retriable startError failure reason runtimePhase isBusy
    isCompacting isLoading isError hasPending pending isSending sendError models agents defaultAgent commands picks send
    sendParts cancel runCommand rewind restoreRewind answerQuestion rejectQuestion answerPermission retry`
  expect(named.split(/\s+/).filter((name) => !(name in latest))).toEqual([])
})

test('what a session waits for is there when it is opened, and gone when it is answered', async () => {
  platform.state.turns = [{ turn_token: 't' }]
  const asked = { question: { id: 'que_1', questions: [] }, permissions: [{ id: 'per_1', sessionID: 'ses_child' }] }
  platform.state.override = ({ method, path }) =>
    method === 'GET' && path.endsWith('/question') ? { json: asked } : undefined
  await mount()
  await settle(() =>
    expect(latest).toMatchObject({ isBusy: true, questions: [{ id: 'que_1' }], permissions: [{ id: 'per_1' }] }),
  )
  await act(async () => void (await latest.answerQuestion('que_1', [['A']])))
  expect(platform.requests(/POST .*sessions\/s1\/question$/)).toHaveLength(1)
  expect(latest.questions).toEqual([])
  platform.emit('permission.asked', { sessionID: 'ses_child', id: 'per_2' })
  platform.emit('message.updated', { sessionID: 'ses_child', info: { id: 'msg_9', role: 'user' } })
  await settle(() => expect(latest.permissions.map(({ id }) => id)).toEqual(['per_1', 'per_2']))
  expect(latest.messages).toEqual([])
  platform.emit('turn.started', { sessionID: 'ses_1' })
  await settle(() => expect(latest.permissions).toEqual([]))
})

test('how the last turn ended is known when the session is opened, and told when the next one ends', async () => {
  const last_ended = { turn_token: 't', end_reason: 'interrupted', ended_at: null }
  platform.state.override = ({ method, path }) =>
    method === 'GET' && path.endsWith('/turn') ? { json: { turns: [], last_ended } } : undefined
  await mount()
  await settle(() => expect(latest).toMatchObject({ endReason: 'interrupted', isBusy: false }))
  platform.emit('turn.started', { sessionID: 'ses_1' })
  await settle(() => expect(latest).toMatchObject({ endReason: undefined, isBusy: true }))
  platform.emit('turn.ended', { sessionID: 'ses_1', end_reason: 'aborted' })
  await settle(() => expect(latest).toMatchObject({ endReason: 'aborted', isBusy: false }))
})

test('a start that failed is an error that can be retried', async () => {
  platform.state.start = { stage: 'failed', retriable: false, failure: { message: 'no image' } }
  await mount()
  await settle(() =>
    expect(latest).toMatchObject({ phase: 'error', stage: 'failed', failure: { message: 'no image' } }),
  )
  platform.state.start = {
    stage: 'ready',
    retriable: true,
    sandbox: { external_id: 'sb1' },
    opencode_session_id: 'ses_1',
  }
  await act(async () => latest.retry())
  await settle(() => expect(latest.phase).toBe('ready'))
})

test('sending never throws: what went wrong is a state; answers throw a classified error', async () => {
  await mount()
  await settle(() => expect(latest.phase).toBe('ready'))
  await act(async () => latest.picks.setAgent('plan'))
  await act(async () => latest.send('hello'))
  const [sent] = platform.requests(/POST .*prompts$/)
  expect(JSON.parse(String(sent?.body))).toMatchObject({ parts: [{ text: 'hello' }], overrides: { agent: 'plan' } })
  expect(latest.sendError).toBeUndefined()
  platform.state.override = ({ method }) =>
    method === 'POST' ? { status: 402, json: { error: 'No credit' } } : undefined
  await act(async () => latest.send('again'))
  expect(latest.sendError).toMatchObject({ kind: 'billing', message: 'No credit' })
  await expect(latest.answerQuestion('que_1', [['A']])).rejects.toMatchObject({ kind: 'billing' })
})

test('what was sent is not called unsent because the queue cannot be read', async () => {
  await mount()
  await settle(() => expect(latest.phase).toBe('ready'))
  platform.state.override = ({ method, path }) =>
    method === 'GET' && path.endsWith('/prompts') ? { status: 500, json: { error: 'down' } } : undefined
  await act(async () => latest.send('hello'))
  expect(platform.requests(/POST .*prompts$/)).toHaveLength(1)
  expect(latest).toMatchObject({ isSending: false, sendError: undefined })
})

test('the prompt kept for a session is sent once, when a screen opens it; one that failed is kept', async () => {
  stashSessionStart('s1', 'fix it', { agent: 'plan' })
  await mount(true, { replayStartStash: false })
  await settle(() => expect(latest.phase).toBe('ready'))
  expect(platform.requests(/POST .*prompts$/)).toEqual([])
  await act(async () => tree?.unmount())

  platform.state.override = ({ method, path }) =>
    method === 'POST' && path.endsWith('/prompts') ? { status: 500, json: { error: 'down' } } : undefined
  await mount()
  await settle(() => expect(latest.sendError).toMatchObject({ message: 'down' }))
  await act(async () => tree?.unmount())

  platform.state.override = undefined
  await mount()
  await settle(() => expect(platform.requests(/POST .*prompts$/)).toHaveLength(2))
  await settle(() => expect(latest.isSending).toBe(false))
  await act(async () => tree?.unmount())
  await mount()
  await settle(() => expect(latest.phase).toBe('ready'))
  const sent = platform.requests(/POST .*prompts$/).map(({ body }) => JSON.parse(String(body)))
  expect(sent).toHaveLength(2)
  expect(sent[1]).toMatchObject({ parts: [{ text: 'fix it' }], overrides: { agent: 'plan' } })
  expect(sent[1].client_message_id).toBe(sent[0].client_message_id)
})

test('without the chat only the start is followed', async () => {
  platform.state.messages = [user]
  await mount(true, { chatEngine: false })
  await settle(() => expect(latest).toMatchObject({ phase: 'ready', isLoading: false, messages: [] }))
  expect(platform.requests(/\/(messages|events)/)).toEqual([])
})

test('a session made in this tab may be missing at first: it is asked for 12 more times, then it is an error', async () => {
  // Its own id: the screen of the test before may ask once more, of this platform, before it notices that it is closed.
  noteCreated('s2')
  platform.state.override = ({ path }) =>
    /\/sessions\/s2(\/start)?$/.test(path) ? { status: 404, json: { error: 'No such session.' } } : undefined
  const wait = globalThis.setTimeout
  const spy = vi.spyOn(globalThis, 'setTimeout')
  // Only the pause between two tries is skipped.
  spy.mockImplementation(((callback: () => void, ms?: number) => wait(callback, ms === 800 ? 0 : ms)) as typeof wait)
  await mount(true, { chatEngine: false }, 's2')
  await settle(() => expect(latest.phase).toBe('error'))
  expect(spy.mock.calls.filter(([, ms]) => ms === 800)).toHaveLength(12)
  spy.mockRestore()
  expect(latest).toMatchObject({ phase: 'error', startError: { message: 'No such session.' } })
  expect(platform.requests(/POST .*s2\/start/)).toHaveLength(13)
})

test('nothing is asked while it is disabled', async () => {
  await mount(false)
  expect(latest.phase).toBe('starting')
  expect(platform.seen).toEqual([])
})

test.each([
  [new ApiError('x', { status: 402 }), 'billing'],
  [new ApiError('x', { status: 409, code: 'connector_connection_required' }), 'connector'],
  [new RuntimeNotReadyError(), 'runtime-not-ready'],
  [new ApiError('x', { code: 'RUNTIME_UNAVAILABLE' }), 'runtime-not-ready'],
  [new Error('x'), 'runtime-error'],
  [null, 'runtime-error'],
])('%s is of kind %s', (error, kind) => {
  expect(classifySendError(error).kind).toBe(kind)
})
