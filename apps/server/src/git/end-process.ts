import type { ChildProcess } from 'node:child_process'

/**
 * Signals a git process and everything it has started: helpers, pack programs, ssh. Only for processes that were
 * started `detached`, as the leaders of a group of their own.
 */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // The group has ended between the decision and now: that is what was wanted.
    child.kill(signal)
  }
}
