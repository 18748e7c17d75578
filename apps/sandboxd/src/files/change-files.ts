import { lstat, readdir, rename, rmdir, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ensureFolder, enterFolder, isCode, type OpenFolder, openParent } from './open-inside.ts'
import type { Roots } from './roots.ts'

export async function makeFolder(roots: Roots, path: string): Promise<void> {
  const folder = await ensureFolder(roots, path)
  await folder.close()
}

/** Moves an entry over whatever file has the new name; the folders above it are made. */
export async function renameEntry(roots: Roots, from: string, to: string): Promise<void> {
  const source = await openParent(roots, from)
  try {
    await lstat(source.folder.at(source.name))
    await (await ensureFolder(roots, dirname(roots.resolve(to)))).close()
    const target = await openParent(roots, to)
    try {
      await rename(source.folder.at(source.name), target.folder.at(target.name))
    } finally {
      await target.folder.close()
    }
  } finally {
    await source.folder.close()
  }
}

/** Removes a file, a link, or a folder with all that is in it. Links are removed, never followed. */
export async function removeEntry(roots: Roots, path: string): Promise<void> {
  const { folder, name } = await openParent(roots, path)
  try {
    await removeTree(folder, name)
  } finally {
    await folder.close()
  }
}

async function removeTree(parent: OpenFolder, name: string): Promise<void> {
  const found = await lstat(parent.at(name))
  if (!found.isDirectory()) {
    await unlink(parent.at(name))
    return
  }
  const inside = await enterFolder(parent, name)
  try {
    for (const child of await readdir(inside.at('.'))) {
      await removeTree(inside, child).catch((error: unknown) => {
        // Gone meanwhile, which is what was wanted.
        if (!isCode(error, 'ENOENT')) throw error
      })
    }
  } finally {
    await inside.close()
  }
  await rmdir(parent.at(name))
}
