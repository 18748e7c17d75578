import { readdir, readFile, rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { bundleScript, startScript } from '../../kernel/jobs/testing/run-script.ts'
import { newExternalId } from '../external-id.ts'
import { layoutOf, placesOf } from './layout.ts'
import { groupName } from './prepare-host.ts'
import { listOfUser, listPids } from './processes.ts'
import { runProgram } from './run-program.ts'
import { openLocalProvider, plainBoot, takeUid } from './testing/local-machine.ts'
import { tryInside } from './testing/try-inside.ts'

const rounds = process.env.SVC_TEST_LONG ? 30 : 3
const seed = Number(process.env.SVC_TEST_SEED ?? 1 + Math.floor(Math.random() * 1e6))

/** A small generator, so that a failure can be repeated. */
function randomFrom(state: number): () => number {
  let value = state
  return () => {
    value = (value * 1_103_515_245 + 12_345) % 2_147_483_648
    return value / 2_147_483_648
  }
}

describe.runIf(process.platform === 'linux')('a platform that was killed', () => {
  test(`leaves no process, mount, disk, limit or user behind once the next one has started (seed ${seed})`, async () => {
    const random = randomFrom(seed)
    const script = await bundleScript(new URL('./testing/busy-host.ts', import.meta.url))
    for (let round = 0; round < rounds; round += 1) {
      const local = await openLocalProvider()
      const machines = Array.from({ length: 6 }, () => ({ externalId: newExternalId(), hostUid: takeUid() }))
      const host = startScript(script, {
        SVC_BUSY_DATA_DIR: local.dataDir,
        SVC_BUSY_NODE: local.nodeId,
        SVC_BUSY_MACHINES: JSON.stringify(machines),
      })
      const started: string[] = []
      host.child.on('message', (message: { started: string }) => void started.push(message.started))
      await expect.poll(() => started.length, { interval: 5 }).toBeGreaterThan(0)
      await sleep(random() * 1_500)
      host.kill('SIGKILL')
      await host.exited

      await local.provider.reap?.()
      for (const { hostUid } of machines) if (hostUid !== undefined) expect(await listOfUser(hostUid)).toEqual([])
      // The kernel lets go of a file system a moment after its last process.
      await expect.poll(() => findTraces(local.dataDir)).toEqual([])
      expect(await findGroups(local.nodeId)).toEqual([])
      await checkDisks(local, started)
      await local.close()
      await rm(local.dataDir, { recursive: true, force: true })
    }
  }, 300_000)
})

type Local = Awaited<ReturnType<typeof openLocalProvider>>

/** What a machine wrote before it was killed is still there. */
async function checkDisks({ provider }: Local, started: readonly string[]): Promise<void> {
  for (const externalId of started.slice(0, 2)) {
    await provider.start(externalId, plainBoot, () => undefined)
    expect((await tryInside(provider, externalId, 'cat /workspace/kept')).output).toBe('kept')
    await provider.destroy(externalId)
  }
}

/** Mounts of the data directory in any process, and disks of it that the kernel holds. */
async function findTraces(dataDir: string): Promise<string[]> {
  const mounts = await Promise.all(
    (await listPids()).map(async (pid) => {
      const text = await readFile(`/proc/${pid}/mountinfo`, 'utf8').catch(() => '')
      return text.includes(dataDir) ? [`process ${pid} has it mounted`] : []
    }),
  )
  const { output } = await runProgram('losetup', ['-a'])
  return [...mounts.flat(), ...output.split('\n').filter((line) => line.includes(dataDir))]
}

async function findGroups(nodeId: string): Promise<string[]> {
  const { output } = await runProgram('find', ['/sys/fs/cgroup', '-path', `*${groupName(nodeId)}/sb*`, '-type', 'd'])
  return output.split('\n').filter(Boolean)
}

test.runIf(process.platform === 'linux')('reaping where nothing was left changes nothing', async () => {
  const local = await openLocalProvider()
  const { externalId } = await local.createMachine()
  await local.provider.reap?.()
  expect(await readdir(layoutOf(local.dataDir).machines)).toEqual([externalId])
  expect(await readFile(placesOf(layoutOf(local.dataDir), externalId).spec, 'utf8')).toMatch(externalId)
  await local.close()
})
