import { setTimeout as sleep } from 'node:timers/promises'
import { listChildren, listOfMachine, signal } from './processes.ts'
import type { RunningMachine } from './running-machine.ts'

/** Asks the daemon to finish within the given time, then ends whatever is left. */
export async function endMachine(machine: RunningMachine, reason: string, graceMs = 0): Promise<void> {
  machine.endReason ??= reason
  const init = machine.initPid()
  if (machine.paused) await resume(machine)
  if (graceMs > 0 && init !== undefined) {
    for (const pid of await listChildren(init)) signal(pid, 'SIGTERM')
    await Promise.race([machine.ended, sleep(graceMs, undefined, { ref: false })])
  }
  const { child } = machine
  const lives = () => child.exitCode === null && child.signalCode === null
  if (init !== undefined && lives()) signal(init, 'SIGKILL')
  if (init === undefined) for (const pid of await listOfMachine(machine.places.run)) signal(pid, 'SIGKILL')
  if (child.pid !== undefined && lives()) signal(child.pid, 'SIGKILL')
  await machine.ended
}

/** Stops the clock for everything inside. */
export async function pause(machine: RunningMachine): Promise<void> {
  if (machine.paused) return
  if (machine.group) await machine.group.freeze()
  else for (const pid of await listOfMachine(machine.places.run)) signal(pid, 'SIGSTOP')
  machine.paused = true
}

export async function resume(machine: RunningMachine): Promise<void> {
  if (machine.group) await machine.group.thaw()
  else for (const pid of await listOfMachine(machine.places.run)) signal(pid, 'SIGCONT')
  machine.paused = false
}
