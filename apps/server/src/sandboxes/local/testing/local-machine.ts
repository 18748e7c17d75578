import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sandboxdFolder } from '@svc/sandboxd'
import { createLogger, createMemoryWriter } from '../../../kernel/log/index.ts'
import { newExternalId } from '../../external-id.ts'
import type { BootConfig, MachineResources } from '../../provider.ts'
import { createLocalProvider, type LocalProviderOptions } from '../index.ts'

export const plainBoot: BootConfig = {
  serviceKey: 'test service key',
  runtime: undefined,
  env: {},
  files: [],
  repository: undefined,
}

export const smallResources: MachineResources = { cpu: 1, memoryGb: 0.5, diskGb: 0.25 }

/** What a machine needs of the host when no runtime runs in it. */
export const daemonFiles = () => [
  { hostPath: process.execPath, machinePath: '/opt/svc/node/bin/node' },
  { hostPath: sandboxdFolder, machinePath: '/opt/svc/sandboxd' },
]

let nextUid = 100_000_000 + (process.pid % 100_000) * 1_000

/** A user that no machine of another test has, in this process or beside it, nor one of a whole platform; for root. */
export const takeUid = () => (process.getuid?.() === 0 ? nextUid++ : undefined)

/** A provider on a folder of its own. `close` leaves nothing of it. */
export async function openLocalProvider(options: Partial<LocalProviderOptions> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-local-'))
  const notices: string[] = []
  const nodeId = newExternalId().slice(2)
  const provider = createLocalProvider({
    dataDir,
    nodeId,
    log: createLogger({ writer: createMemoryWriter() }),
    files: daemonFiles,
    openEgress: async () => undefined,
    onNotice: (externalId, detail) => notices.push(`${externalId}: ${detail}`),
    ...options,
  })
  return {
    provider,
    dataDir,
    nodeId,
    notices,
    async createMachine(resources = smallResources): Promise<{ externalId: string; hostUid: number | undefined }> {
      const externalId = newExternalId()
      const hostUid = takeUid()
      await provider.create({
        externalId,
        projectId: 'project',
        resources,
        image: undefined,
        workspace: undefined,
        hostUid,
      })
      return { externalId, hostUid }
    },
    async close() {
      await provider.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
