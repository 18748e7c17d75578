import { chown, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { BootConfig } from '../provider.ts'

/** Where the containers' disks lie. */
export const containersFolder = (dataDir: string) => join(dataDir, 'containers')

export interface ContainerPlaces {
  readonly folder: string
  readonly spec: string
  /** What persists. */
  readonly workspace: string
  readonly home: string
  /** The machine's own /run/svc: it may do there what it likes, so the host never writes into it while it runs. */
  readonly run: string
  /** What the host makes for it; inside it is read-only. */
  readonly hostRun: string
}

export function placesOf(dataDir: string, externalId: string): ContainerPlaces {
  const folder = join(containersFolder(dataDir), externalId)
  return {
    folder,
    spec: join(folder, 'spec.json'),
    workspace: join(folder, 'workspace'),
    home: join(folder, 'home'),
    run: join(folder, 'run'),
    hostRun: join(folder, 'host'),
  }
}

const Spec = z.object({
  externalId: z.string(),
  image: z.string(),
  uid: z.number().int(),
  entrypoint: z.string().optional(),
  resources: z.object({ cpu: z.number(), memoryGb: z.number(), diskGb: z.number() }),
})
export type ContainerSpec = z.infer<typeof Spec>

export const hostRunPath = '/run/svc-host'

/** The disk, then the spec: a folder without one is what a killed creation left. */
export async function makeMachineFolder(places: ContainerPlaces, spec: ContainerSpec): Promise<void> {
  await rm(places.folder, { recursive: true, force: true })
  await mkdir(places.folder, { recursive: true, mode: 0o711 })
  for (const path of [places.workspace, places.home]) {
    await mkdir(path, { mode: 0o700 })
    await give(path, spec.uid)
  }
  await writeFile(`${places.spec}.new`, JSON.stringify(spec), { mode: 0o600 })
  await rename(`${places.spec}.new`, places.spec)
}

export async function readMachineSpec({ spec }: ContainerPlaces): Promise<ContainerSpec | undefined> {
  try {
    const read = Spec.safeParse(JSON.parse(await readFile(spec, 'utf8')))
    return read.success ? read.data : undefined
  } catch {
    // Not there, or cut off by a crash: the machine was never finished.
    return undefined
  }
}

/** Made anew by every start; nothing of the last guest remains. */
export async function makeRunFolders(places: ContainerPlaces, { uid }: ContainerSpec, boot: BootConfig): Promise<void> {
  for (const path of [places.run, places.hostRun]) await rm(path, { recursive: true, force: true })
  await mkdir(places.run, { mode: 0o700 })
  await mkdir(places.hostRun, { mode: 0o755 })
  await writeFile(join(places.run, 'boot.json'), JSON.stringify(boot), { mode: 0o600, flag: 'wx' })
  await give(join(places.run, 'boot.json'), uid)
  for (const name of ['egress.sock', 'ca.pem']) await symlink(join(hostRunPath, name), join(places.run, name))
  const etc = { passwd: passwdOf(uid), group: `root:x:0:\nagent:x:${uid}:\nnogroup:x:65534:\n` }
  for (const [name, content] of Object.entries(etc))
    await writeFile(join(places.hostRun, name), content, { mode: 0o644 })
  await give(places.run, uid)
}

async function give(path: string, uid: number): Promise<void> {
  if (process.getuid?.() === 0) await chown(path, uid, uid)
}

function passwdOf(uid: number): string {
  const others = 'nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n'
  return `root:x:0:0:root:/nonexistent:/usr/sbin/nologin\nagent:x:${uid}:${uid}:agent:/home/agent:/bin/sh\n${others}`
}
