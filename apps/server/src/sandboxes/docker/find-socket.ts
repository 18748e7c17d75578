import { stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Where engines listen, the most usual first. */
export function usualSockets(env: Readonly<Record<string, string | undefined>> = process.env): string[] {
  const own = env.XDG_RUNTIME_DIR
  return [
    '/var/run/docker.sock',
    '/run/podman/podman.sock',
    ...(own ? [join(own, 'docker.sock'), join(own, 'podman', 'podman.sock')] : []),
  ]
}

/** The first that is there. */
export async function findSocket(candidates: readonly string[]): Promise<string | undefined> {
  for (const path of candidates) {
    const found = await stat(path).catch(() => undefined)
    if (found?.isSocket()) return path
  }
  return undefined
}
