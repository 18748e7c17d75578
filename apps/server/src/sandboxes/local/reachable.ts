import { existsSync } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/** True when a user who owns nothing can pass through every folder above the path. */
export async function isReachable(path: string): Promise<boolean> {
  for (let folder = dirname(await realpath(path)); ; folder = dirname(folder)) {
    const { mode } = await stat(folder)
    if ((mode & 0o001) === 0) return false
    if (folder === dirname(folder)) return true
  }
}

/** A folder that may be hidden below mounts in a private namespace, so none of what is mounted may lie in it. */
export function chooseView(paths: readonly string[]): string | undefined {
  const candidates = ['/mnt', '/media', '/srv', '/opt', '/tmp'].filter((candidate) => existsSync(candidate))
  return candidates.find((candidate) => paths.every((path) => !`${path}/`.startsWith(`${candidate}/`)))
}
