import { afterAll, describe, expect, test } from 'vitest'
import { openLocalProvider, plainBoot } from './testing/local-machine.ts'
import { tryInside } from './testing/try-inside.ts'

/** Guests that take whatever they can get. The limit holds, the host answers meanwhile, and the state is told. */

const local = await openLocalProvider()
afterAll(() => local.close())
const { provider, notices } = local

async function startMachine() {
  const { externalId } = await local.createMachine()
  const ended: string[] = []
  await provider.start(externalId, plainBoot, (reason) => void ended.push(reason))
  const inside = (script: string, timeoutMs?: number) => tryInside(provider, externalId, script, timeoutMs)
  return { externalId, ended, inside, told: () => notices.filter((notice) => notice.startsWith(externalId)).join('\n') }
}

describe.runIf(process.platform === 'linux')('a hostile guest', () => {
  test('a fork bomb stays below its processes, is told, and ends with the machine', async () => {
    const { externalId, inside, told } = await startMachine()
    await inside('(f() { f | f & }; f) > /dev/null 2>&1 & sleep 1')
    // It may have choked by now; that it got as far as its limit is what is told below.
    expect((await provider.stats(externalId))?.processes).toBeLessThanOrEqual(768)
    await expect.poll(told).toMatch('could not be started because 768 are running')
    await provider.stop(externalId)
    expect((await provider.stats(externalId))?.processes).toBe(0)
    await provider.destroy(externalId)
  })

  test('a memory hog is ended, the machine lives, and the limit is told', async () => {
    const { externalId, inside, told } = await startMachine()
    const hog = await inside(`perl -e 'my @a; push @a, "x" x 1000000 while 1'`, 30_000)
    expect(hog.code).not.toBe(0)
    expect((await inside('echo alive')).output).toBe('alive')
    await expect.poll(told).toMatch('the 0.5 GB of memory were used up')
    // Files in memory count as well.
    const files = await inside('head -c 2000000000 /dev/zero > /tmp/a; head -c 2000000000 /dev/zero > /dev/shm/b; echo')
    expect((await provider.stats(externalId))?.memoryBytes).toBeLessThanOrEqual(0.5 * 1024 ** 3)
    expect(files.output).toMatch(/No space left|Killed/)
    await provider.destroy(externalId)
  })

  test('a full disk is full for the guest only, and told', async () => {
    const { externalId, inside, told } = await startMachine()
    const full = await inside('head -c 2000000000 /dev/zero > /workspace/big')
    expect(full.output).toMatch('No space left')
    await expect.poll(told).toMatch('The disk of 0.25 GB is full')
    expect((await provider.stats(externalId))?.diskBytes).toBeLessThan(0.3 * 1024 ** 3)
    expect((await inside('rm /workspace/big; echo again > /workspace/a; cat /workspace/a')).output).toBe('again')
    await provider.destroy(externalId)
  })

  test('files without end run into the end of the disk', async () => {
    const { externalId, inside } = await startMachine()
    const count = 'perl -e \'my $n = 0; while (open(my $f, ">", "/workspace/f$n")) { $n++ } print "$n $!"\''
    const { output } = await inside(count, 60_000)
    expect(output).toMatch(/^\d+ No space left on device$/)
    expect(Number(output.split(' ')[0])).toBeLessThan(100_000)
    await provider.destroy(externalId)
  })

  test('spinning processors take no more than their share', async () => {
    const { externalId, inside } = await startMachine()
    const before = (await provider.stats(externalId))?.cpuSeconds ?? 0
    const startedAtMs = performance.now()
    await inside('for i in 1 2 3 4; do (while :; do :; done) & done; sleep 3; kill 0', 20_000)
    const seconds = (performance.now() - startedAtMs) / 1000
    const used = ((await provider.stats(externalId))?.cpuSeconds ?? 0) - before
    expect(used / seconds).toBeLessThan(1.15)
    await provider.destroy(externalId)
  })

  test('endless output is cut, and other machines answer all the while', async () => {
    const [loud, quiet] = [await startMachine(), await startMachine()]
    let over = false
    const argv = ['sh', '-c', 'echo $$ > /workspace/loud; exec yes']
    const endless = provider
      .exec(loud.externalId, { argv, timeoutMs: 120_000, maxOutputBytes: 100_000 })
      .finally(() => {
        over = true
      })
    await expect.poll(async () => (await loud.inside('cat /workspace/loud')).output).toMatch(/^\d+$/)
    expect((await quiet.inside('echo alive')).output).toBe('alive')
    expect(over).toBe(false)
    await loud.inside('kill $(cat /workspace/loud)')
    const { stdout, truncated } = await endless
    expect({ length: stdout.length, truncated }).toEqual({ length: 100_000, truncated: true })
    for (const { externalId } of [loud, quiet]) await provider.destroy(externalId)
  })
})
