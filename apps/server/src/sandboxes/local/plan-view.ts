import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { diskFolders } from './fill-disk.ts'
import type { Mount } from './launch-machine.ts'
import type { MachinePlaces } from './layout.ts'
import type { MachineFile } from './machine-files.ts'
import { chooseView, isReachable } from './reachable.ts'
import type { WorkspaceStart } from './spec-file.ts'

export interface ViewInput {
  readonly places: MachinePlaces
  readonly kit: string
  readonly files: readonly MachineFile[]
  readonly disk: 'image' | 'folder'
  readonly start: WorkspaceStart | undefined
  /** Somebody who owns nothing: only what everybody may pass through to is reachable. Undefined: who we are. */
  readonly hostUid: number | undefined
}

/** What is mounted before the machine starts, and how its parts are called from then on. */
export interface View {
  readonly folder: string
  readonly mounts: readonly Mount[]
  readonly workspace: string
  readonly home: string
  readonly run: string
  readonly kit: string
  readonly files: readonly MachineFile[]
}

/** Most machines need no mount at all; a disk of its own and places below folders that only root may enter do. */
export async function planView({ places, kit, files, disk, start, hostUid }: ViewInput): Promise<View> {
  const all = [places.folder, kit, ...files.map(({ hostPath }) => hostPath)]
  const folder = chooseView(all) ?? '/mnt'
  const mounts: Mount[] = []
  const see = async (path: string, name: string) => {
    if (hostUid === undefined || (await isReachable(path))) return path
    const at = join(folder, name)
    mounts.push({ kind: 'bind', from: path, at, isFile: statSync(path).isFile() })
    return at
  }
  const seeDisk = async () => {
    if (disk === 'folder') return see(places.disk, 'disk')
    // A machine that was made before its folder had a place for it has one in the view.
    const isNear = existsSync(places.disk) && (hostUid === undefined || (await isReachable(places.disk)))
    const at = isNear ? places.disk : join(folder, 'disk')
    mounts.push({ kind: 'image', from: places.image, at, owner: hostUid, start })
    return at
  }
  const [diskAt, run, kitAt, seen] = await Promise.all([
    seeDisk(),
    see(places.run, 'run'),
    see(kit, 'kit'),
    Promise.all(files.map(async (file, index) => ({ ...file, hostPath: await see(file.hostPath, `file${index}`) }))),
  ])
  return {
    folder,
    run,
    kit: kitAt,
    files: seen,
    workspace: join(diskAt, diskFolders.workspace),
    home: join(diskAt, diskFolders.home),
    mounts,
  }
}
