import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { layoutOf } from './layout.ts'
import { makeDiskImage } from './make-disk.ts'
import { quoteShell } from './quote-shell.ts'
import { runProgram } from './run-program.ts'

/**
 * How machines get disks on this host: as a mounted file, whose size the kernel keeps, where this process may mount;
 * as a folder that is watched elsewhere. Found out by doing it.
 */
export async function chooseDisk(): Promise<'image' | 'folder'> {
  if (process.getuid?.() !== 0 || !existsSync('/dev/loop-control')) return 'folder'
  const scratch = await mkdtemp(join(tmpdir(), 'svc-disk-'))
  try {
    const layout = { ...layoutOf(scratch), blanks: scratch }
    const image = join(scratch, 'disk.img')
    await makeDiskImage(layout, image, 1 / 16)
    const mount = `mount -t ext4 -o loop ${quoteShell(image)} /mnt`
    const { code } = await runProgram('unshare', ['-m', 'sh', '-c', mount])
    return code === 0 ? 'image' : 'folder'
  } catch {
    // No program to make file systems with: then the folder has to do.
    return 'folder'
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}
