import { spawn } from 'node:child_process'

/**
 * Where the kernel cannot signal PostgreSQL at the death of the server (macOS, or no `setpriv`), a tiny shell waits for
 * the end of a pipe that only the server holds open, and then stops PostgreSQL. Returns how to call it off.
 */
export function watchServer(databasePid: number): () => void {
  const script = 'read -r answer; [ "$answer" = done ] || kill -INT "$1"'
  const child = spawn('sh', ['-c', script, 'svc', String(databasePid)], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
  })
  child.unref()
  // The shell ends by itself after its answer; a write to one that is gone already changes nothing.
  child.stdin.on('error', () => undefined)
  return () => child.stdin.end('done\n')
}
