import { readdirSync, readFileSync } from 'node:fs'

/** Kills a session's runtime as the host's memory killer would. */
export function killRuntime(sessionId: string): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8')
      const isOurs = environment.includes(`SVC_SESSION_ID=${sessionId}`)
      if (isOurs && command.includes('opencode') && command.includes('serve')) process.kill(Number(pid), 'SIGKILL')
    } catch {
      // A process that ended meanwhile, or one of somebody else.
    }
  }
}
