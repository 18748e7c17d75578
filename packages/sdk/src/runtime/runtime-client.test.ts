import { afterEach, beforeEach, expect, test } from 'vitest'
import { configureSvc } from '../config/platform-config.ts'
import { openEventStream } from '../events/open-event-stream.ts'
import { startFakePlatform } from '../session/testing/fake-platform.ts'
import { dropClientForUrl, getClient, getClientForUrl, resetClient } from './runtime-client.ts'

let platform: Awaited<ReturnType<typeof startFakePlatform>>
beforeEach(async () => {
  platform = await startFakePlatform()
  configureSvc({ backendUrl: platform.url, getToken: async () => 't', sandboxId: 'sb1' })
})
afterEach(() => platform.stop())

test('there is one client per address until it is dropped', () => {
  const client = getClient()
  expect(client.url).toBe(`${platform.url}/v1/p/sb1/8000`)
  expect(getClientForUrl(client.url)).toBe(client)
  dropClientForUrl(client.url)
  const next = getClient()
  expect(next).not.toBe(client)
  resetClient()
  expect(getClient()).not.toBe(next)
})

test('calls go to the routes of the runtime, with the token', async () => {
  const { session, mcp, pty, app, config, global } = getClient()
  await session.prompt('ses_1', { parts: [{ type: 'text', text: 'x' }] })
  await session.updatePart('ses_1', 'msg_1', 'prt_1', { text: 'y' })
  await session.diff('ses_1', { messageID: 'msg_1' })
  await mcp.connect('a/b')
  await pty.update('pty_1', { size: { rows: 1, cols: 2 } })
  await app.skills()
  await config.providers()
  await global.dispose()
  expect(platform.seen.map(({ method, path, query }) => `${method} ${path.slice(11)} ${query}`.trim())).toEqual([
    'POST session/ses_1/message',
    'PATCH session/ses_1/message/msg_1/part/prt_1',
    'GET session/ses_1/diff messageID=msg_1',
    'POST mcp/a%2Fb/connect',
    'PUT pty/pty_1',
    'GET skill',
    'GET config/providers',
    'POST global/dispose',
  ])
  expect(new Set(platform.seen.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer t']))
})

test('a failure is an ApiError with what the runtime said', async () => {
  platform.state.override = () => ({ status: 404, json: { name: 'NotFoundError', data: { message: 'gone' } } })
  await expect(getClient().session.get('ses_1')).rejects.toMatchObject({
    name: 'ApiError',
    status: 404,
    details: { data: { message: 'gone' } },
  })
})

test('a bare runtime is followed on /global/event, whose events are unwrapped', async () => {
  platform.emit('session.idle', { sessionID: 'ses_1' })
  const event = await new Promise((resolve) => {
    const stream = openEventStream({
      client: getClient(),
      onEvent(next) {
        stream.close()
        resolve(next)
      },
    })
  })
  expect(event).toMatchObject({ type: 'session.idle', properties: { sessionID: 'ses_1' } })
  expect(platform.seen[0]?.path).toBe('p/sb1/8000/global/event')
})
