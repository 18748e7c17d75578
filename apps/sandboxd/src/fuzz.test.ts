import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from './testing/test-daemon.ts'

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startTestDaemon({ runtime: false })
})
afterAll(() => daemon.stop())

const rounds = process.env.SVC_TEST_LONG ? 3_000 : 300
const routes = [
  'GET /file',
  'GET /file/content',
  'GET /file/raw',
  'GET /find',
  'GET /find/file',
  'POST /file/upload',
  'PUT /file/upload/x',
  'POST /file/upload/x/complete',
  'DELETE /file/upload/x',
  'POST /file/mkdir',
  'POST /file/rename',
  'DELETE /file',
  'POST /svc/env',
  'POST /svc/exec',
  'PUT /svc/conversation',
  'POST /svc/git/commit-push',
  'POST /svc/refresh',
  'POST /svc/abort',
  'POST /svc/pty',
  'PATCH /svc/pty/x',
  'GET /web-proxy/http/x/',
  'GET /proxy/9/',
]
const values = [
  '',
  '.',
  '..',
  'a',
  '\u0000',
  '9'.repeat(400),
  'é😀',
  '../../etc/passwd',
  '/etc/passwd',
  '-1',
  '1e999',
  '%',
  '[]',
  '{}',
  'null',
]
const bodies = [
  '',
  '{',
  '[]',
  'null',
  '"x"',
  '{"path":1}',
  '{"path":{}}',
  '{"argv":[1]}',
  '{"argv":["\u0000"]}',
  '{"env":{"A":1}}',
  '{"size":{"rows":-1,"cols":1}}',
  '{"from":"a","to":""}',
  '\u0000\u0001',
]

test('no request makes the daemon fail: bad ones are refused with a reason', async () => {
  const seed = Number(process.env.SVC_TEST_SEED ?? Date.now() % 1_000_000)
  let state = seed
  const pick = <T>(list: readonly T[]): T => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return list[(state >> 8) % list.length] as T
  }
  for (let round = 0; round < rounds; round += 1) {
    const [method = '', path = ''] = pick(routes).split(' ')
    const query = ['path', 'pattern', 'query', 'limit', 'offset', 'total'].map(
      (name) => `${name}=${encodeURIComponent(pick(values))}`,
    )
    const body = method === 'GET' ? undefined : pick(bodies)
    const asked = `${method} ${path}?${query.join('&')}`
    const { status, json } = await daemon.call(method, `${path}?${query.join('&')}`, {
      as: 'platform',
      ...(body === undefined ? {} : { body }),
    })
    expect([seed, asked, body, status === 500]).toEqual([seed, asked, body, false])
    if (status >= 400) expect([seed, asked, typeof json?.error]).toEqual([seed, asked, 'string'])
  }
  expect((await daemon.health()).daemon).toBe('ok')
}, 120_000)

test('what is not HTTP at all ends its own connection only', async () => {
  for (const rubbish of [
    '\u0000\u0001\u0002',
    'GET',
    'GET / HTTP/9.9\r\n\r\n',
    'CONNECT \r\n\r\n',
    'POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n',
    `GET /${'x'.repeat(100_000)} HTTP/1.1\r\n\r\n`,
  ]) {
    const socket = connect(join(daemon.runDir, 'host.sock'))
    socket.on('error', () => socket.destroy())
    socket.end(rubbish)
    await new Promise((resolve) => socket.resume().once('close', resolve))
  }
  expect((await daemon.health()).daemon).toBe('ok')
})
