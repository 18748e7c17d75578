import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildDaemon } from '../testing/build-daemon.ts'
import { startTestDaemon, type TestDaemon } from '../testing/test-daemon.ts'

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startTestDaemon({
    boot: { env: { SVC_TOKEN: 't', OLD_SECRET: 'old', SVC_PROJECT_SECRET_NAMES: 'OLD_SECRET' } },
    prepare: ({ runDir }) => writeFileSync(join(runDir, 'ca.pem'), '-----BEGIN CERTIFICATE-----\nsession\n'),
  })
  await daemon.call('PUT', '/svc/conversation', { as: 'key', body: { opencode_session_id: 'ses_1' } })
})
afterAll(() => daemon.stop())

const sync = (body: object) => daemon.call('POST', '/svc/env', { as: 'key', body })
/** In a shell that the long-running runtime starts, as an agent's command runs. */
const inShell = async (command: string) =>
  (await daemon.call('GET', `/shell?command=${encodeURIComponent(command)}`)).json.stdout

describe('environment', () => {
  test('every child knows the way out and its certificates', async () => {
    const { env } = (await daemon.call('GET', '/echo')).json
    const proxy = `http://127.0.0.1:${daemon.proxyPort}`
    expect(env).toMatchObject({ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: '127.0.0.1,localhost,::1' })
    const bundle = join(daemon.runDir, 'ca-bundle.pem')
    for (const name of [
      'NODE_EXTRA_CA_CERTS',
      'SSL_CERT_FILE',
      'CURL_CA_BUNDLE',
      'REQUESTS_CA_BUNDLE',
      'GIT_SSL_CAINFO',
    ]) {
      expect([name, env[name]]).toEqual([name, bundle])
    }
    expect(readFileSync(bundle, 'utf8')).toMatch(/\n-----BEGIN CERTIFICATE-----\nsession\n$/)
  })

  test('new shells see what is delivered while the runtime runs, and no longer what is taken back', async () => {
    expect(await inShell('echo $OLD_SECRET')).toBe('old\n')
    const value = `it's "quoted" $HOME \`x\`\nsecond line`
    const { status, json } = await sync({ revision: '2', env: { NEW_SECRET: value }, names: ['NEW_SECRET'] })
    expect([status, json]).toMatchObject([
      200,
      {
        ok: true,
        changed: true,
        revision: '2',
        names: ['NEW_SECRET'],
        exported: 1,
        withheld: [],
        agent_env_written: true,
      },
    ])
    expect(await inShell('printf %s "$NEW_SECRET"')).toBe(value)
    expect(await inShell('printenv OLD_SECRET || echo unset')).toBe('unset\n')
    expect((await sync({ revision: '2', env: { NEW_SECRET: value } })).json.changed).toBe(false)
    await sync({ revision: '3', env: {} })
    expect(await inShell('printenv NEW_SECRET || echo unset')).toBe('unset\n')
  })

  test('names that would change how programs run are withheld', async () => {
    const bad = {
      PATH: '/x',
      LD_PRELOAD: '/x.so',
      NODE_OPTIONS: '--x',
      OPENCODE_CONFIG: 'x',
      BASH_ENV: '/x',
      'A B': 'x',
    }
    const { json } = await sync({ revision: '4', env: { ...bad, FINE: 'yes' } })
    expect(json.withheld.sort()).toEqual(Object.keys(bad).sort())
    expect(json.names).toEqual(['FINE'])
    expect((await sync({ revision: '5', env: { X: 1 } })).status).toBe(400)
    expect((await sync({ revision: '5' })).status).toBe(400)
  })

  test('the runtime starts again for its own variables, but never in the middle of a turn', async () => {
    await daemon.call('POST', '/state', { body: { statuses: { ses_1: { type: 'busy' } } } })
    const busy = await sync({ revision: '6', env: {}, opencodeEnv: { MODEL_KEY: 'a' } })
    expect(busy.json.opencode_reload).toBe('kept-old')
    await daemon.call('POST', '/state', { body: { statuses: {} } })
    const idle = await sync({ revision: '7', env: {}, opencodeEnv: { MODEL_KEY: 'a' } })
    expect(idle.json.opencode_reload).toBe('restarted')
    expect((await daemon.call('GET', '/echo')).json.env.MODEL_KEY).toBe('a')
    expect((await sync({ revision: '8', env: {}, refreshModels: true })).json.opencode_reload).toBe('disposed')
  })
})

test('fetch of a Node program goes through the proxy, and past it to the machine itself', async () => {
  const seen: string[] = []
  const proxy = createServer((request, response) => response.end(`proxied ${request.url}`))
  proxy.on('connect', (request, socket) => {
    seen.push(request.url ?? '')
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as { port: number }
  const preload = join(buildDaemon(), 'node-proxy.cjs')
  expect(existsSync(preload)).toBe(true)
  const script = `
    const direct = await (await fetch('http://127.0.0.1:${port}/direct')).text()
    await fetch('https://outside.test/x').catch(() => undefined)
    console.log(direct)`
  const url = `http://127.0.0.1:${port}`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env: { NODE_OPTIONS: `--require ${preload}`, HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: '127.0.0.1' },
  })
  expect(stdout).toBe('proxied /direct\n')
  expect(seen).toEqual(['outside.test:443'])
  proxy.close()
})
