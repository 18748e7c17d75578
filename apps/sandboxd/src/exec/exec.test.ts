import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { residentBytes, startTestDaemon, type TestDaemon } from '../testing/test-daemon.ts'

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startTestDaemon({ runtime: false, boot: { env: { FROM_BOOT: 'yes' } } })
})
afterAll(() => daemon.stop())

const exec = (body: object) => daemon.call('POST', '/svc/exec', { as: 'key', body })

describe('exec', () => {
  test('runs a program in the workspace with the session’s environment, input and its own words', async () => {
    const { status, json } = await exec({
      argv: ['sh', '-c', 'pwd; echo "$FROM_BOOT$MORE"; cat; echo err >&2; exit 3'],
      env: { MORE: '!' },
      input: 'from input',
    })
    expect(status).toBe(200)
    expect(json).toEqual({
      exitCode: 3,
      signal: null,
      stdout: `${daemon.workspace}\nyes!\nfrom input`,
      stderr: 'err\n',
      truncated: false,
    })
  })

  test('ends at its deadline with all it started', async () => {
    const { json } = await exec({ argv: ['sh', '-c', 'echo $$; sleep 1000 & sleep 1000'], timeoutMs: 2_000 })
    expect(json).toMatchObject({ exitCode: null, signal: 'SIGKILL' })
    const group = Number.parseInt(json.stdout, 10)
    const left = async () => (await exec({ argv: ['sh', '-c', `ps -o stat= -g ${group} | grep -vc Z`] })).json.stdout
    await expect.poll(left).toBe('0\n')
  })

  test('keeps as much output as was asked for, in bounded memory', async () => {
    const before = residentBytes(daemon.process.pid)
    const { json } = await exec({ argv: ['sh', '-c', 'yes | head -c 200000000'], maxOutputBytes: 1000 })
    expect([json.exitCode, json.stdout.length, json.truncated]).toEqual([0, 1000, true])
    expect(residentBytes(daemon.process.pid) - before).toBeLessThan(80 * 1024 * 1024)
  })

  test('a program that is not there is told as a shell would', async () => {
    expect((await exec({ argv: ['no-such-program'] })).json).toMatchObject({ exitCode: 127 })
    expect((await exec({ argv: ['true'], cwd: '/no/such/folder' })).json).toMatchObject({ exitCode: 127 })
    expect((await exec({ argv: [] })).status).toBe(400)
    expect((await exec({})).status).toBe(400)
  })
})
