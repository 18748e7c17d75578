import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import {
  isAlive,
  residentBytes,
  startTestDaemon,
  type TestDaemon,
  type TestDaemonOptions,
} from './testing/test-daemon.ts'

const running: TestDaemon[] = []
const start = async (options?: TestDaemonOptions) => {
  const daemon = await startTestDaemon(options)
  running.push(daemon)
  return daemon
}
afterEach(async () => {
  for (const daemon of running.splice(0)) await daemon.stop()
})

/** Is ready when a file is there. */
const waitingRuntime = {
  kind: 'opencode',
  argv: ['/bin/sh', '-c', 'until [ -e "$GO" ]; do sleep 0.02; done; echo listening; exec sleep 1000'],
  port: 1,
  readyLine: 'listening',
}

describe('boot', () => {
  test('the boot file is read once and gone, and the key reaches no child', async () => {
    const daemon = await start({ boot: { env: { SVC_TOKEN: 'session-token' } } })
    expect(existsSync(join(daemon.runDir, 'boot.json'))).toBe(false)
    const { json } = await daemon.call('GET', '/echo', { as: 'platform' })
    expect(JSON.stringify(json.env)).not.toContain('test-service-key')
    expect(json.env).toMatchObject({ SVC_TOKEN: 'session-token', FROM_RUNTIME: '1', HOME: daemon.home })
    expect(readFileSync(`/proc/${daemon.process.pid}/environ`, 'utf8')).not.toContain('test-service-key')
  })

  test('files of the boot are written with their folders and modes before the runtime starts', async () => {
    let path = ''
    const daemon = await start({
      boot: { files: [] },
      prepare: ({ folder }) => {
        path = join(folder, 'home', 'a', 'b', 'config.json')
      },
    })
    await daemon.stop()
    const again = await start({ boot: { files: [{ path, content: '{"x":1}', mode: 0o600 }] } })
    expect(readFileSync(path, 'utf8')).toBe('{"x":1}')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect((await again.health()).boot_error).toBe(null)
  })

  test('a file that cannot be written is the boot error, and the daemon still answers', async () => {
    const daemon = await startTestDaemon({
      runtime: false,
      boot: { files: [{ path: '/etc/passwd/file', content: '' }] },
    })
    running.push(daemon)
    expect(await daemon.health()).toMatchObject({ status: 'error', runtimeReady: false })
    expect((await daemon.health()).boot_error).toContain('could not be written')
  })

  test('a boot file that cannot be read ends the machine without a word of what is in it', async () => {
    const started = startTestDaemon({
      boot: null,
      prepare: ({ runDir }) => writeFileSync(join(runDir, 'boot.json'), '{"serviceKey":"secret-key",'),
    })
    await expect(started).rejects.toThrow('boot.json is not JSON')
    await expect(started).rejects.not.toThrow('secret-key')
  })

  test('health that is asked to wait answers when the boot has settled, and others meanwhile', async () => {
    let go = ''
    const daemon = await start({
      runtime: false,
      boot: { runtime: { ...waitingRuntime, env: { GO: 'go' } } },
      prepare: ({ workspace }) => {
        go = join(workspace, 'go')
      },
    })
    let isAnswered = false
    const waiting = daemon.call('GET', '/svc/health?wait_ms=10000', { as: 'nobody' }).finally(() => {
      isAnswered = true
    })
    expect(await daemon.health()).toMatchObject({ opencode: 'starting' })
    expect(isAnswered).toBe(false)
    writeFileSync(go, '')
    await waiting
    await expect.poll(daemon.health, { timeout: 60_000 }).toMatchObject({ opencode: 'ok' })
  })

  test('without a boot file only health answers, and says so', async () => {
    const daemon = await start({ boot: null })
    expect(await daemon.health()).toMatchObject({ daemon: 'ok', auth: 'unconfigured' })
    expect((await daemon.call('GET', '/session')).status).toBe(503)
    expect((await daemon.call('POST', '/svc/exec', { as: 'key' })).status).toBe(503)
  })
})

describe('readiness', () => {
  test('the runtime is ready for people once the platform has named the conversation, for the platform before', async () => {
    const daemon = await start()
    expect(await daemon.health()).toMatchObject({ status: 'starting', runtimeReady: false, opencode: 'ok' })
    const early = await daemon.call('GET', '/session')
    expect([early.status, early.json.reason]).toEqual([503, 'initial_opencode_session_pending'])
    expect((await daemon.call('GET', '/session', { as: 'platform' })).status).toBe(200)

    const pinned = await daemon.call('PUT', '/svc/conversation', { as: 'key', body: { opencode_session_id: 'ses_1' } })
    expect(pinned.status).toBe(200)
    expect(await daemon.health()).toMatchObject({ status: 'ok', runtimeReady: true, opencode_session_id: 'ses_1' })
    expect((await daemon.call('GET', '/session')).status).toBe(200)
  })

  test('the timeline tells every step in order', async () => {
    const daemon = await start()
    const { boot_timeline } = (await daemon.health()) as { boot_timeline: { label: string; atMs: number }[] }
    expect(boot_timeline.map(({ label }) => label)).toEqual(
      expect.arrayContaining(['boot_read', 'runtime_spawned', 'listening', 'runtime_ready']),
    )
    const times = boot_timeline.map(({ atMs }) => atMs)
    expect(times).toEqual([...times].sort((one, other) => one - other))
  })
})

describe('supervision', () => {
  test('a runtime that dies comes back, and its conversation is still the pinned one', async () => {
    const daemon = await start()
    await daemon.call('PUT', '/svc/conversation', { as: 'key', body: { opencode_session_id: 'ses_1' } })
    const before = (await daemon.health()).opencode_pid
    await daemon.call('GET', '/crash').catch(() => undefined)
    const after = await daemon.waitFor(({ opencode, opencode_pid }) => opencode === 'ok' && opencode_pid !== before)
    expect(after).toMatchObject({ runtimeReady: true, opencode_session_id: 'ses_1' })
  })

  test('a runtime that never comes up is given up with its own last words', async () => {
    const daemon = await start({ runtimeFlags: ['--crash'] })
    const health = await daemon.waitFor(({ boot_error }) => boot_error !== null)
    expect(health).toMatchObject({ status: 'error', opencode: 'down', runtimeReady: false, opencode_pid: null })
    expect(health.boot_error).toContain('cannot find my configuration')
    const { status, json } = await daemon.call('GET', '/session')
    expect([status, json.reason]).toEqual([503, 'initial_opencode_session_failed'])
  })

  test('SIGTERM ends the runtime and the daemon, even a runtime that does not want to', async () => {
    const daemon = await startTestDaemon({ runtimeFlags: ['--ignore-sigterm'] })
    const { opencode_pid } = await daemon.health()
    expect(await daemon.stop()).toBe(0)
    await expect.poll(() => isAlive(Number(opencode_pid))).toBe(false)
  })

  test('a runtime that prints without end costs no memory', async () => {
    const daemon = await start()
    const before = residentBytes(daemon.process.pid)
    await daemon.call('GET', '/flood', { as: 'platform' })
    expect(residentBytes(daemon.process.pid) - before).toBeLessThan(80 * 1024 * 1024)
    expect((await daemon.health()).opencode).toBe('ok')
  })
})

describe('turns', () => {
  test('health tells how the last turn stands', async () => {
    const daemon = await start()
    await daemon.call('PUT', '/svc/conversation', { as: 'key', body: { opencode_session_id: 'ses_1' } })
    const setState = (body: object) => daemon.call('POST', '/state', { body })
    const turn = async () => (await daemon.call('GET', '/svc/health?turn=1', { as: 'nobody' })).json
    const user = { info: { id: 'msg_1', role: 'user' } }
    const answer = (extra: object) => ({ info: { id: 'msg_2', role: 'assistant', parentID: 'msg_1', ...extra } })

    await setState({ statuses: { ses_1: { type: 'busy' } }, messages: [user] })
    expect(await turn()).toMatchObject({ turn_in_flight: true, turn_end: null, turn_orphaned_prompt: false })
    await setState({ statuses: {}, messages: [user] })
    expect(await turn()).toMatchObject({ turn_in_flight: false, turn_end: null, turn_orphaned_prompt: true })
    await setState({ messages: [user, answer({ time: { created: 1, completed: 2 } })] })
    expect(await turn()).toMatchObject({ turn_end: 'completed', turn_orphaned_prompt: false })
    await setState({ messages: [user, answer({ time: { created: 1 }, error: { name: 'APIError' } })] })
    expect(await turn()).toMatchObject({ turn_end: 'failed' })
    await setState({ messages: [user, answer({ time: { created: 1 }, error: { name: 'MessageAbortedError' } })] })
    expect(await turn()).toMatchObject({ turn_end: 'abandoned' })
  })

  test('abort reaches the pinned conversation, and without one is refused', async () => {
    const daemon = await start()
    expect((await daemon.call('POST', '/svc/abort', { as: 'key' })).status).toBe(409)
    await daemon.call('PUT', '/svc/conversation', { as: 'key', body: { opencode_session_id: 'ses_1' } })
    expect((await daemon.call('POST', '/svc/abort', { as: 'key' })).status).toBe(200)
    expect((await daemon.call('GET', '/echo')).json.state.aborted).toEqual(['/session/ses_1/abort'])
  })
})
