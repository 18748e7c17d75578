import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { buildDaemon } from '../testing/build-daemon.ts'
import { isAlive, residentBytes, startTestDaemon, type TestDaemon } from '../testing/test-daemon.ts'

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startTestDaemon({ runtime: false, boot: { env: { FROM_BOOT: 'yes' } } })
})
afterAll(() => daemon.stop())

/** What a terminal showed on this socket, and how it closed. */
function follow(socket: WebSocket) {
  const seen = { text: '', code: undefined as number | undefined }
  socket.on('message', (data) => {
    seen.text += data.toString()
  })
  socket.on('close', (code) => {
    seen.code = code
  })
  socket.on('error', () => undefined)
  return seen
}

const opened = (socket: WebSocket) => new Promise((resolve) => socket.once('open', resolve))
const pty = (method: string, path = '', body?: unknown) => daemon.call(method, `/svc/pty${path}`, { as: 'user', body })

describe('a terminal', () => {
  test('is a real one: it echoes, knows its size, and has the session’s environment', async () => {
    const socket = daemon.connectWebSocket('/svc/pty/shell1/connect?rows=33&cols=101')
    const seen = follow(socket)
    await opened(socket)
    socket.send('stty size; echo "[$FROM_BOOT]"; tty\n')
    await expect.poll(() => seen.text).toMatch(/33 101[\s\S]*\[yes\][\s\S]*\/dev\/pts/)
    expect((await pty('GET')).json).toEqual([expect.objectContaining({ id: 'shell1', status: 'running' })])
    await pty('PATCH', '/shell1', { title: 'mine', size: { rows: 10, cols: 20 } })
    socket.send('stty size\n')
    await expect.poll(() => seen.text).toContain('10 20')
    expect((await pty('GET', '/shell1')).json.title).toBe('mine')
    socket.terminate()
  })

  test('lives on while nobody looks, and shows the latest to whoever comes back', async () => {
    const first = daemon.connectWebSocket('/svc/pty/shell2/connect')
    const before = follow(first)
    await opened(first)
    first.send('echo one-$((1+1))\n')
    await expect.poll(() => before.text).toContain('one-2')
    first.terminate()
    const again = daemon.connectWebSocket('/svc/pty/shell2/connect')
    const after = follow(again)
    await expect.poll(() => after.text).toContain('one-2')
    again.terminate()
  })

  test('Ctrl-C ends the program in it and not the terminal', async () => {
    const socket = daemon.connectWebSocket('/svc/pty/shell3/connect')
    const seen = follow(socket)
    await opened(socket)
    // Printed by the program alone: what is typed shows before anything runs.
    socket.send('sh -c "echo ru""ns; exec sleep 1000"; echo "ended $?"\n')
    await expect.poll(() => seen.text).toContain('runs')
    socket.send('\u0003')
    socket.send('echo still-$((40+2))\n')
    await expect.poll(() => seen.text).toContain('still-42')
    socket.terminate()
  })

  test('that exited closes with 1000, at once for a late comer', async () => {
    const { json } = await pty('POST', '', { command: 'sh', args: ['-c', 'echo bye; exit 7'] })
    await expect.poll(async () => (await pty('GET', `/${json.id}`)).json.exitCode).toBe(7)
    const socket = daemon.connectWebSocket(`/svc/pty/${json.id}/connect`)
    const seen = follow(socket)
    await expect.poll(() => seen.code).toBe(1000)
    expect(seen.text).toContain('bye')
  })

  test('goes with everything in it when deleted', async () => {
    const { json } = await pty('POST', '', { command: 'sleep', args: ['1000'] })
    expect((await pty('DELETE', `/${json.id}`)).json).toBe(true)
    await expect.poll(() => isAlive(json.pid)).toBe(false)
    expect((await pty('DELETE', `/${json.id}`)).status).toBe(404)
  })

  test('takes the jobs of its shell along, and a program that does not listen too', async () => {
    const socket = daemon.connectWebSocket('/svc/pty/jobs/connect')
    const seen = follow(socket)
    await opened(socket)
    socket.send('sleep 1001 & echo "job $!."\n')
    await expect.poll(() => seen.text).toMatch(/job \d+\./)
    const job = Number(/job (\d+)\./.exec(seen.text)?.[1])
    await pty('DELETE', '/jobs')
    await expect.poll(() => isAlive(job)).toBe(false)
    const { json } = await pty('POST', '', { command: 'sh', args: ['-c', 'trap "" HUP; while :; do sleep 0.1; done'] })
    await pty('DELETE', `/${json.id}`)
    await expect.poll(() => isAlive(json.pid)).toBe(false)
    socket.terminate()
  })

  test('that prints without end waits for its reader instead of filling memory', async () => {
    const before = residentBytes(daemon.process.pid)
    const { json } = await pty('POST', '', { command: 'sh', args: ['-c', 'yes 0123456789abcdef'] })
    const socket = daemon.connectWebSocket(`/svc/pty/${json.id}/connect`)
    await opened(socket)
    socket.pause()
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(residentBytes(daemon.process.pid) - before).toBeLessThan(64 * 1024 * 1024)
    expect((await daemon.health()).daemon).toBe('ok')
    socket.terminate()
    await pty('DELETE', `/${json.id}`)
  })

  test('refuses strangers, strange ids and strange sizes', async () => {
    const refused = (socket: WebSocket) =>
      new Promise((resolve) => socket.once('unexpected-response', (_request, answer) => resolve(answer.statusCode)))
    expect(await refused(daemon.connectWebSocket('/svc/pty/x/connect', 'nobody'))).toBe(401)
    expect(await refused(daemon.connectWebSocket('/svc/pty/a%2fb/connect'))).toBe(400)
    expect(await refused(daemon.connectWebSocket('/svc/pty/x/connect?rows=0&cols=5'))).toBe(400)
    expect((await pty('POST', '', { args: 'x' })).status).toBe(400)
  })
})

test('where the native part does not load, terminals answer 501 and everything else works', async () => {
  const bare = mkdtempSync(join(tmpdir(), 'svc-bare-'))
  cpSync(join(buildDaemon(), 'sandboxd.mjs'), join(bare, 'sandboxd.mjs'))
  const broken = await startTestDaemon({ runtime: false, program: join(bare, 'sandboxd.mjs') })
  const { status, json } = await broken.call('POST', '/svc/pty', { as: 'key', body: {} })
  expect([status, json.code]).toEqual([501, 'pty_unavailable'])
  expect((await broken.call('GET', '/file?path=')).status).toBe(200)
  await broken.stop()
  rmSync(bare, { recursive: true })
})
