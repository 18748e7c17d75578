import { existsSync } from 'node:fs'
import { chown, mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Layout, MachinePlaces } from './layout.ts'
import { runProgram } from './run-program.ts'

/** The two folders of a disk. */
export const diskFolders = ['workspace', 'home'] as const

/** An empty disk as a folder. */
export async function makeDiskFolder(disk: string, hostUid: number | undefined): Promise<void> {
  // What lies inside belongs to the guest; the folder itself does not, so that its two parts stay what they are.
  await mkdir(disk, { recursive: true, mode: 0o711 })
  for (const name of diskFolders) {
    await mkdir(join(disk, name), { recursive: true, mode: 0o700 })
    if (hostUid !== undefined) await chown(join(disk, name), hostUid, hostUid)
  }
}

/**
 * An empty disk as a file with a file system of exactly the template's size: a copy of a blank one, which takes a few
 * milliseconds and a few megabytes. The guest's folders are made at its first start.
 */
export async function makeDiskImage(layout: Layout, { image }: MachinePlaces, diskGb: number): Promise<void> {
  const blank = await makeBlank(layout, diskGb)
  const { code, output } = await runProgram('cp', ['--sparse=always', '--reflink=auto', blank, image])
  if (code !== 0) throw new Error(`the disk could not be made: ${output}`)
}

async function makeBlank({ blanks }: Layout, diskGb: number): Promise<string> {
  const blank = join(blanks, `${diskGb}gb.ext4`)
  if (existsSync(blank)) return blank
  const draft = `${blank}.${process.pid}`
  const file = await open(draft, 'w', 0o600)
  await file.truncate(Math.floor(diskGb * 1024 ** 3))
  await file.close()
  const features = 'lazy_itable_init=1,lazy_journal_init=1,nodiscard'
  // No block is kept back for root, who never writes here.
  const { code, output } = await runProgram('mkfs.ext4', [
    '-q',
    '-F',
    '-m',
    '0',
    '-J',
    'size=16',
    '-E',
    features,
    draft,
  ])
  if (code !== 0) {
    await rm(draft, { force: true })
    throw new Error(`a file system could not be made: ${output}`)
  }
  await rename(draft, blank)
  return blank
}
