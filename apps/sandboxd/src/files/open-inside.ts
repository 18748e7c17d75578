import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { refuse } from '../http/reply.ts'
import { accessDenied, type Roots } from './roots.ts'

/** An open folder that was found to be inside the roots. Names below it are reached through the handle. */
export interface OpenFolder {
  readonly realPath: string
  /** A path to `name` in exactly this folder, wherever links put in its place since then lead. */
  at(name: string): string
  close(): Promise<void>
}

/** Opening a FIFO for reading would wait for a writer for ever. */
const readFlags = constants.O_RDONLY | constants.O_NONBLOCK
const isLinux = process.platform === 'linux'

/**
 * Opens first and looks then where the open thing really is, so that nothing can be swapped between the check and the
 * use. Links may be followed as long as they end inside the roots.
 */
export async function openFile(roots: Roots, path: string): Promise<{ handle: FileHandle; realPath: string }> {
  const { handle, realPath } = await openChecked(roots, roots.resolve(path), readFlags)
  const found = await handle.stat()
  if (found.isFile()) return { handle, realPath }
  await handle.close()
  throw refuse(400, 'not_a_file', `${path} is not a regular file.`)
}

export async function openFolder(roots: Roots, path: string): Promise<OpenFolder> {
  return openResolvedFolder(roots, roots.resolve(path))
}

/** The folder, made with all its parents when it is not there. */
export async function ensureFolder(roots: Roots, path: string): Promise<OpenFolder> {
  const absolute = roots.resolve(path)
  try {
    return await openResolvedFolder(roots, absolute)
  } catch (error) {
    if (!isCode(error, 'ENOENT') || roots.isRoot(absolute)) throw error
  }
  const parent = await ensureFolder(roots, dirname(absolute))
  try {
    const place = parent.at(basename(absolute))
    await mkdir(place).catch((error: unknown) => {
      // Somebody made it meanwhile; what it is shows when it is opened.
      if (!isCode(error, 'EEXIST')) throw error
    })
    return await openResolvedFolder(roots, place, absolute)
  } finally {
    await parent.close()
  }
}

/** The folder of a path and the name in it: what is renamed or removed is the entry, never what a link points to. */
export async function openParent(roots: Roots, path: string): Promise<{ folder: OpenFolder; name: string }> {
  const absolute = roots.resolve(path)
  if (roots.isRoot(absolute)) throw refuse(403, 'access_denied', `Access denied: ${path} itself cannot be changed.`)
  return { folder: await openResolvedFolder(roots, dirname(absolute)), name: basename(absolute) }
}

/** A folder in an open folder. A link of that name is refused, not followed. */
export async function enterFolder(parent: OpenFolder, name: string): Promise<OpenFolder> {
  const handle = await open(parent.at(name), readFlags | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  return describeFolder(handle, join(parent.realPath, name))
}

async function openResolvedFolder(roots: Roots, path: string, shownPath = path): Promise<OpenFolder> {
  const { handle, realPath } = await openChecked(roots, path, readFlags | constants.O_DIRECTORY, shownPath)
  return describeFolder(handle, realPath)
}

const describeFolder = (handle: FileHandle, realPath: string): OpenFolder => ({
  realPath,
  at: (name) => (isLinux ? `/proc/self/fd/${handle.fd}/${name}` : join(realPath, name)),
  close: () => handle.close(),
})

async function openChecked(roots: Roots, path: string, flags: number, shownPath = path) {
  const handle = await open(path, flags)
  try {
    const realPath = isLinux ? await readlink(`/proc/self/fd/${handle.fd}`) : await realpath(path)
    if (!roots.contains(realPath)) throw accessDenied(roots.display(shownPath))
    return { handle, realPath }
  } catch (error) {
    await handle.close()
    throw error
  }
}

export const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).code === code
