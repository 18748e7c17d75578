import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, open, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { blankFolders, fillDiskLines } from './fill-disk.ts'
import type { Layout, MachinePlaces } from './layout.ts'
import { runProgram } from './run-program.ts'
import type { WorkspaceStart } from './spec-file.ts'

/** A disk as a folder. */
export async function makeDiskFolder(
  { disk }: MachinePlaces,
  owner: number | undefined,
  start: WorkspaceStart | undefined,
): Promise<void> {
  await mkdir(disk, { recursive: true, mode: 0o711 })
  const lines = ['set -e', ...fillDiskLines(disk, owner, start)]
  const { code, output } = await runProgram('sh', ['-c', lines.join('\n')], { timeoutMs: 120_000 })
  if (code !== 0) throw new Error(`the disk could not be filled: ${output}`)
}

/** Makes empty disks, and keeps one ready of every size that was asked for. */
export interface DiskMaker {
  make(image: string, diskGb: number): Promise<void>
  stop(): void
}

/** Not at once: the machine that was just made is starting. */
const spareAfterMs = 250

export function createDiskMaker(layout: Layout): DiskMaker {
  const spares = new Map<number, string>()
  const timers = new Map<number, NodeJS.Timeout>()
  let count = 0
  const prepareSpare = async (diskGb: number) => {
    timers.delete(diskGb)
    const spare = join(layout.blanks, `${sparePrefix}${process.pid}-${count++}`)
    await makeDiskImage(layout, spare, diskGb)
    if (spares.has(diskGb)) await rm(spare, { force: true })
    else spares.set(diskGb, spare)
  }
  return {
    async make(image, diskGb) {
      const spare = spares.get(diskGb)
      spares.delete(diskGb)
      if (spare === undefined) await makeDiskImage(layout, image, diskGb)
      else await rename(spare, image)
      if (timers.has(diskGb)) return
      // Without one the next disk is made when it is needed, and tells what is wrong.
      const timer = setTimeout(() => void prepareSpare(diskGb).catch(() => undefined), spareAfterMs).unref()
      timers.set(diskGb, timer)
    },
    stop() {
      for (const timer of timers.values()) clearTimeout(timer)
    },
  }
}

const sparePrefix = 'spare-'

/** Those of a server that is gone. */
export async function removeSpares({ blanks }: Layout): Promise<void> {
  for (const name of await readdir(blanks)) {
    if (name.startsWith(sparePrefix)) await rm(join(blanks, name), { force: true })
  }
}

/**
 * An empty disk as a file with a file system of exactly the template's size: a copy of a blank one, which takes a few
 * milliseconds and a few megabytes. It is filled at the first start, which mounts it.
 */
export async function makeDiskImage(layout: Layout, image: string, diskGb: number): Promise<void> {
  const blank = await makeBlank(layout, diskGb)
  const { code, output } = await runProgram('cp', ['--sparse=always', '--reflink=auto', blank, image])
  if (code !== 0) throw new Error(`the disk could not be made: ${output}`)
}

async function makeBlank({ blanks }: Layout, diskGb: number): Promise<string> {
  const blank = join(blanks, `${diskGb}gb-with-folders.ext4`)
  if (existsSync(blank)) return blank
  const draft = await mkdtemp(join(blanks, 'draft-'))
  try {
    for (const name of blankFolders) await mkdir(join(draft, 'content', name), { recursive: true, mode: 0o700 })
    const image = join(draft, 'image')
    const file = await open(image, 'w', 0o600)
    await file.truncate(Math.floor(diskGb * 1024 ** 3))
    await file.close()
    const features = 'lazy_itable_init=1,lazy_journal_init=1,nodiscard'
    // No block is kept back for root, who never writes here.
    const options = ['-q', '-F', '-m', '0', '-J', 'size=16', '-E', features, '-d', join(draft, 'content')]
    const { code, output } = await runProgram('mkfs.ext4', [...options, image])
    if (code !== 0) throw new Error(`a file system could not be made: ${output}`)
    await rename(image, blank)
    return blank
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}
