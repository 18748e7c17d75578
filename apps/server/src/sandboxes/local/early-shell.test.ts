import { afterAll, describe, expect, test } from 'vitest'
import { openLocalProvider, plainBoot } from './testing/local-machine.ts'

const local = await openLocalProvider()
afterAll(() => local.close())
const { provider } = local

/** A machine that is starting; `started` resolves when its daemon serves. */
async function begin() {
  const { externalId, hostUid } = await local.createMachine()
  const started = provider.start(externalId, plainBoot, () => undefined)
  const run = (argv: string[], more = {}) => provider.exec(externalId, { argv, early: true, ...more })
  return { externalId, hostUid, started, run }
}

describe.runIf(process.platform === 'linux')('commands before the daemon serves', () => {
  test('run confined, with their output, their errors and their end', async () => {
    const { externalId, started, run } = await begin()
    expect(
      await run(['sh', '-c', 'id -u; pwd; echo "$A"; printf oops >&2; exit 3'], { env: { A: "it's\n2" } }),
    ).toEqual({
      exitCode: 3,
      signal: undefined,
      stdout: "1000\n/workspace\nit's\n2\n",
      stderr: 'oops',
      truncated: false,
    })
    const look = 'cat /etc/shadow; ls /root; mount -t tmpfs x /mnt; unshare -U true; ls /proc/self/fd | wc -l'
    expect((await run(['sh', '-c', look])).stdout).toMatch(/^\d+\n$/)
    await started
    await provider.destroy(externalId)
  })

  test('endless output is cut, an endless command is ended, and both leave the machine well', async () => {
    const { externalId, started, run } = await begin()
    const [endless, long] = await Promise.all([
      run(['sh', '-c', 'head -c 3000000 /dev/zero | tr "\\0" x'], { maxOutputBytes: 1000 }),
      run(['sleep', '60'], { timeoutMs: 200 }),
    ])
    expect(endless).toMatchObject({ exitCode: 0, stdout: 'x'.repeat(1000), truncated: true })
    expect(long).toMatchObject({ exitCode: undefined, signal: 'SIGKILL' })
    await started
    expect(await provider.exec(externalId, { argv: ['echo', 'well'] })).toMatchObject({ stdout: 'well\n' })
    await provider.destroy(externalId)
  })

  test('when the daemon serves, the first shell and its descriptors are gone', async () => {
    const { externalId, started, run } = await begin()
    await run(['true'])
    await started
    await expect
      .poll(async () => (await provider.exec(externalId, { argv: ['sh', '-c', 'ps -eo args'] })).stdout)
      .not.toMatch(/^\/bin\/sh$/m)
    expect((await run(['echo', 'by the daemon'])).stdout).toBe('by the daemon\n')
    await provider.destroy(externalId)
  })
})
