import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Milliseconds until the program as anybody would start it, with a home of its own, takes requests. */
export async function startBareOpencode(opencode: string): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), 'svc-bench-bare-'))
  const startedAt = performance.now()
  const child = spawn(opencode, ['serve', '--hostname', '127.0.0.1', '--port', '0'], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.includes('listening on')) resolve()
    })
  })
  const tookMs = performance.now() - startedAt
  child.kill('SIGKILL')
  await ended
  rmSync(home, { recursive: true, force: true })
  return tookMs
}
