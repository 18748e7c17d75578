import { createLogger, createMemoryWriter } from '../../../kernel/log/index.ts'
import { smallWarmRuntime } from '../../testing/small-runtime.ts'
import { createLocalProvider } from '../index.ts'
import { daemonFiles, plainBoot, smallResources } from './local-machine.ts'

/**
 * A platform that starts machines one after the other, has something run in each, and stops one now and then, until
 * somebody kills it. Tells of each machine before it makes it.
 */

const { SVC_BUSY_DATA_DIR: dataDir = '', SVC_BUSY_NODE: nodeId = '', SVC_BUSY_MACHINES: machines = '[]' } = process.env

const provider = createLocalProvider({
  dataDir,
  nodeId,
  log: createLogger({ writer: createMemoryWriter() }),
  files: daemonFiles,
  openEgress: async () => undefined,
  onNotice: () => undefined,
})
const never = new AbortController().signal
const planned: { externalId: string; hostUid?: number }[] = JSON.parse(machines)
for (const [index, { externalId, hostUid }] of planned.entries()) {
  const spec = { projectId: 'project', resources: smallResources, image: undefined, workspace: undefined, hostUid }
  await provider.create({ ...spec, externalId })
  // One waits for an owner who never comes.
  if (index === 2) {
    await provider.warm?.(externalId, { runtime: smallWarmRuntime(), signal: never, onExit: () => undefined })
    process.send?.({ started: externalId })
    continue
  }
  await provider.start(externalId, plainBoot, () => undefined)
  await provider.exec(externalId, {
    argv: ['sh', '-c', 'echo kept > /workspace/kept; sync; setsid sleep 1000 > /dev/null 2>&1 &'],
  })
  process.send?.({ started: externalId })
  if (index % 3 === 2) await provider.stop(externalId)
  if (index % 3 === 1) await provider.pause(externalId)
}
