import { existsSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** True when a user who owns nothing can pass through every folder above the path. */
export function isReachable(path: string): boolean {
  for (let folder = dirname(realpathSync(path)); ; folder = dirname(folder)) {
    const { mode } = statSync(folder)
    if ((mode & 0o001) === 0) return false
    if (folder === dirname(folder)) return true
  }
}

/** A folder that may be hidden below mounts in a private namespace, so none of what is mounted may lie in it. */
export function chooseView(paths: readonly string[]): string | undefined {
  const candidates = ['/mnt', '/media', '/srv', '/opt', '/tmp'].filter((candidate) => existsSync(candidate))
  return candidates.find((candidate) => paths.every((path) => !isBelow(path, candidate)))
}

export const isBelow = (path: string, folder: string): boolean => `${path}/`.startsWith(`${folder}/`)
