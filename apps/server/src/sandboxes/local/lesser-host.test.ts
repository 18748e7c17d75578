import { chmod } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { openLocalProvider, plainBoot } from './testing/local-machine.ts'
import { tryInside } from './testing/try-inside.ts'

/** Where the server may not mount and may not limit: folders for disks, and limits that the server keeps itself. */

const local = await openLocalProvider({ lesser: true })
// Below folders that everybody may pass through nothing has to be mounted at all.
await chmod(local.dataDir, 0o711)
afterAll(() => local.close())
const { provider } = local

async function startMachine() {
  const { externalId } = await local.createMachine()
  const ended: string[] = []
  await provider.start(externalId, plainBoot, (reason) => void ended.push(reason))
  const inside = (script: string, timeoutMs?: number) => tryInside(provider, externalId, script, timeoutMs)
  return { externalId, ended, inside }
}

describe.runIf(process.platform === 'linux')('a host that can do less', () => {
  test('its machines live, keep their disks, pause and go on', async () => {
    const { externalId, inside } = await startMachine()
    expect((await inside('echo kept > /workspace/a; id -un; stat -c %U /workspace ~')).output).toBe(
      'agent\nagent\nagent',
    )
    await provider.stop(externalId)
    await provider.start(externalId, plainBoot, () => undefined)
    expect((await inside('cat /workspace/a')).output).toBe('kept')
    await inside('setsid sh -c "while :; do :; done" > /dev/null 2>&1 &')
    await provider.pause(externalId)
    const { cpuSeconds } = (await provider.stats(externalId)) ?? {}
    await sleep(300)
    expect((await provider.stats(externalId))?.cpuSeconds).toBe(cpuSeconds)
    await provider.resume(externalId)
    expect((await inside('echo alive')).output).toBe('alive')
    await provider.destroy(externalId)
  })

  test('one that fills its disk is stopped and says so', async () => {
    const { ended, externalId, inside } = await startMachine()
    await inside('head -c 400000000 /dev/zero > /workspace/big; sleep 20', 30_000).catch(() => undefined)
    await expect.poll(() => ended).toEqual(['The machine wrote more than its 0.25 GB of disk and was stopped.'])
    await provider.destroy(externalId)
  })

  test('one that makes files without end is stopped and says so', async () => {
    const { ended, externalId, inside } = await startMachine()
    const endless = 'perl -e \'my $n = 0; while (open(my $f, ">", "/workspace/f$n")) { $n++ }\''
    await inside(endless, 30_000).catch(() => undefined)
    await expect.poll(() => ended).toEqual(['The machine made more than 16384 files and was stopped.'])
    await provider.destroy(externalId)
  })

  test('one that takes too much memory is stopped and says so', async () => {
    const { ended, externalId, inside } = await startMachine()
    const hog = `perl -e 'my $a = "x" x 700000000; sleep 20'`
    await inside(hog, 30_000).catch(() => undefined)
    await expect.poll(() => ended).toEqual(['The machine used more than its 0.5 GB of memory and was stopped.'])
    await provider.destroy(externalId)
  })

  test('a fork bomb ends at its number of processes', async () => {
    const { externalId, inside } = await startMachine()
    const count = `perl -e '$| = 1; my $n = 0; while (defined(my $p = fork)) { if (!$p) { sleep 20; exit } $n++ } print "$n $!"; kill 9, 0'`
    const { output } = await inside(count, 20_000)
    expect(output).toMatch(/^7\d\d Resource temporarily unavailable/)
    await provider.destroy(externalId)
    expect((await provider.list()).map((one) => one.externalId)).not.toContain(externalId)
  })
})
