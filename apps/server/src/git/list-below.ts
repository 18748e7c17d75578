import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** The files below a folder in which others work meanwhile: what is gone when its turn comes is left out. */
export async function* listBelow(folder: string): AsyncGenerator<string> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(unlessGone)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* listBelow(path)
    else yield path
  }
}

function unlessGone(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
  throw error
}
