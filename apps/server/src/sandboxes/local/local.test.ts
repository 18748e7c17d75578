import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { layoutOf, placesOf } from './layout.ts'
import { listOfMachine, listOfUser } from './processes.ts'
import { openLocalProvider, plainBoot } from './testing/local-machine.ts'
import { tryInside } from './testing/try-inside.ts'

const local = await openLocalProvider()
afterAll(() => local.close())
const { provider } = local

async function startMachine() {
  const machine = await local.createMachine()
  const ended: string[] = []
  await provider.start(machine.externalId, plainBoot, (reason) => void ended.push(reason))
  const inside = (script: string, timeoutMs?: number) => tryInside(provider, machine.externalId, script, timeoutMs)
  return { ...machine, ended, inside }
}

describe.runIf(process.platform === 'linux')('the life of a machine', () => {
  test('what it writes outlives a stop; a destroyed one leaves nothing', async () => {
    const { externalId, hostUid, ended, inside } = await startMachine()
    expect(await inside('echo kept > /workspace/a; echo home > ~/b; echo gone > /tmp/c; id -un; pwd')).toMatchObject({
      output: 'agent\n/workspace',
    })
    await provider.stop(externalId)
    await provider.stop(externalId)
    expect(await provider.list()).toContainEqual({ externalId, status: 'stopped' })
    expect(hostUid === undefined ? [] : await listOfUser(hostUid)).toEqual([])

    await provider.start(externalId, plainBoot, () => undefined)
    await provider.start(externalId, plainBoot, () => undefined)
    expect((await inside('cat /workspace/a ~/b /tmp/c 2>&1')).output).toBe(
      'kept\nhome\ncat: /tmp/c: No such file or directory',
    )
    await provider.destroy(externalId)
    await provider.destroy(externalId)
    expect(existsSync(placesOf(layoutOf(local.dataDir), externalId).folder)).toBe(false)
    // Nobody is told about an end that was asked for.
    expect(ended).toEqual([])
  })

  test('one that ends by itself is told once, with the reason', async () => {
    const { externalId, inside, ended } = await startMachine()
    const daemon = (await inside('cat /proc/$PPID/comm; echo $PPID')).output.split('\n').at(-1)
    await inside(`kill -9 ${daemon}`).catch(() => undefined)
    await expect.poll(() => ended).toHaveLength(1)
    expect(ended[0]).toMatch(/^The machine ended with code/)
    expect(await provider.list()).toContainEqual({ externalId, status: 'stopped' })
    await provider.destroy(externalId)
  })

  test('paused, nothing in it moves; resumed, it goes on', async () => {
    const { externalId, inside } = await startMachine()
    await inside('(while :; do echo . >> /workspace/ticks; sleep 0.02; done) > /dev/null 2>&1 & sleep 0.2')
    await provider.pause(externalId)
    const { cpuSeconds = 0 } = (await provider.stats(externalId)) ?? {}
    await sleep(300)
    expect((await provider.stats(externalId))?.cpuSeconds).toBe(cpuSeconds)
    expect(await provider.list()).toContainEqual({ externalId, status: 'paused' })
    await provider.resume(externalId)
    expect((await inside('test -s /workspace/ticks && echo yes')).output).toBe('yes')
    await provider.pause(externalId)
    await provider.destroy(externalId)
  })

  test('stats say what it uses', async () => {
    const { externalId, inside } = await startMachine()
    await inside('head -c 20000000 /dev/urandom > /workspace/big; sync')
    const stats = await provider.stats(externalId)
    expect(stats?.processes).toBeGreaterThan(0)
    expect(stats?.memoryBytes).toBeGreaterThan(1_000_000)
    expect(stats?.diskBytes).toBeGreaterThan(20_000_000)
    await provider.destroy(externalId)
    expect(await provider.stats(externalId)).toBeUndefined()
  })

  test('a machine that does not start leaves no process behind and says why', async () => {
    const broken = await openLocalProvider({ files: () => [] })
    const { externalId, hostUid } = await broken.createMachine()
    const start = broken.provider.start(externalId, plainBoot, () => undefined)
    await expect(start).rejects.toThrow(/The machine did not start: .*node/)
    expect(await listOfMachine(placesOf(layoutOf(broken.dataDir), externalId).run)).toEqual([])
    expect(hostUid === undefined ? [] : await listOfUser(hostUid)).toEqual([])
    await broken.close()
  })
})
