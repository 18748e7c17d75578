import { realpathSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { refuse } from '../http/reply.ts'
import type { Settings } from '../settings.ts'

/** The folders the files API may touch. Relative paths begin in the workspace. */
export interface Roots {
  readonly workspace: string
  /** The absolute path a caller means, or a refusal; whether links lead out of it is found when it is opened. */
  resolve(path: string): string
  isRoot(path: string): boolean
  /** Whether a path without any link in it lies inside. */
  contains(realPath: string): boolean
  /** As people write it: relative in the workspace, absolute elsewhere. */
  display(path: string): string
}

export function createRoots({ workspace, fileRoots }: Settings): Roots {
  const real = fileRoots.flatMap(realPathOf)
  const all = [...new Set([...fileRoots, ...real])]
  const isInside = (folders: readonly string[], path: string) =>
    folders.some((root) => path === root || path.startsWith(`${root}${sep}`))
  return {
    workspace,
    resolve(path) {
      if (path.includes('\0')) throw refuse(400, 'bad_path', 'A path cannot contain a NUL character.')
      const absolute = resolve(workspace, path)
      if (!isInside(all, absolute)) throw accessDenied(path)
      return absolute
    },
    isRoot: (path) => all.includes(path),
    contains: (realPath) => isInside(real, realPath),
    display: (path) => (isInside([workspace], path) ? relative(workspace, path) : path),
  }
}

export const accessDenied = (path: string) =>
  refuse(403, 'access_denied', `Access denied: ${path} is outside the folders of this sandbox that can be reached.`)

function realPathOf(path: string): string[] {
  try {
    return [realpathSync(path)]
  } catch {
    // A root that this machine does not have holds no files.
    return []
  }
}
