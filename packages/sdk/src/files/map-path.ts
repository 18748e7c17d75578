const WORKSPACE = '/workspace'
const OTHER_ROOTS = ['/tmp', '/home', '/opt']

/**
 * A path as the daemon in the sandbox wants it: relative inside the workspace, absolute below the other roots it serves.
 *
 * @example
 * toDaemonPath('/workspace/a.txt') // 'a.txt'
 * toDaemonPath('/tmp/x') // '/tmp/x'
 */
export function toDaemonPath(path: string): string {
  if (typeof path !== 'string') return ''
  if (isBelow(path, WORKSPACE)) return dropLeadingSlashes(path.slice(WORKSPACE.length))
  return OTHER_ROOTS.some((root) => isBelow(path, root)) ? path : dropLeadingSlashes(path)
}

/**
 * The absolute path inside the sandbox; a relative one is below `/workspace`.
 *
 * @example
 * toSandboxAbsolutePath('a.txt') // '/workspace/a.txt'
 */
export function toSandboxAbsolutePath(path: string): string {
  const mapped = toDaemonPath(path)
  if (mapped.startsWith('/')) return mapped
  return mapped === '' || mapped === '.' ? WORKSPACE : `${WORKSPACE}/${mapped}`
}

function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`)
}

function dropLeadingSlashes(path: string): string {
  return path.replace(/^\/+/, '')
}
