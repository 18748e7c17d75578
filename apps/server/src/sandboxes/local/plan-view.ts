import { mkdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { diskFolders } from './fill-disk.ts'
import type { Mount } from './launch-machine.ts'
import type { Layout, MachinePlaces } from './layout.ts'
import type { MachineFile } from './machine-files.ts'
import { chooseView, isBelow, isReachable } from './reachable.ts'
import type { WorkspaceStart } from './spec-file.ts'

export interface ViewInput {
  readonly layout: Layout
  readonly places: MachinePlaces
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

/**
 * A disk of its own is mounted where it lies. Where only root may pass through to the data directory, the part of it
 * that machines see is mounted as a whole in a folder that everybody reaches: every mount is a program to start. What
 * else lies in such a place is mounted beside it, one by one.
 */
export function planView({ layout, places, files, disk, start, hostUid }: ViewInput): View {
  const { root } = layout
  const folder = chooseView([root, ...files.map(({ hostPath }) => hostPath)]) ?? '/mnt'
  const isNear = (path: string) => hostUid === undefined || isReachable(path)
  const isFar = ({ hostPath }: MachineFile) => !isBelow(hostPath, root) && !isNear(hostPath)
  const rootAt = isNear(places.folder) ? root : files.some(isFar) ? join(folder, 'root') : folder
  const mounts: Mount[] = rootAt === root ? [] : [{ kind: 'bind', from: root, at: rootAt }]
  const seeOwn = (path: string) => join(rootAt, relative(root, path))
  const seeFile = (file: MachineFile, index: number) => {
    const { hostPath } = file
    if (isBelow(hostPath, root)) return { ...file, hostPath: seeOwn(hostPath) }
    if (!isFar(file)) return file
    const at = join(folder, `file${index}`)
    mounts.push({ kind: 'bind', from: hostPath, at, isFile: statSync(hostPath).isFile() })
    return { ...file, hostPath: at }
  }
  const seen = files.map(seeFile)
  const diskAt = seeOwn(places.disk)
  if (disk === 'image') {
    // One that was made when disks were mounted elsewhere has no place for it yet.
    mkdirSync(places.disk, { recursive: true, mode: 0o711 })
    mounts.push({ kind: 'image', from: places.image, at: diskAt, owner: hostUid, start })
  }
  return {
    folder,
    run: seeOwn(places.run),
    kit: seeOwn(layout.kit),
    files: seen,
    workspace: join(diskAt, diskFolders.workspace),
    home: join(diskAt, diskFolders.home),
    mounts,
  }
}
