import { existsSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fillDiskLines } from './fill-disk.ts'
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

/**
 * An empty disk as a file with a file system of exactly the template's size: a copy of a blank one, which takes a few
 * milliseconds and a few megabytes. It is filled at the first start, which mounts it.
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
