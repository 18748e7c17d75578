import { setTimeout as sleep } from 'node:timers/promises'
import { isMoving, listChildren, listOfMachine, signal } from './processes.ts'
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
  else await haltProcesses(machine.places.run)
  machine.paused = true
}

const haltTimeoutMs = 5_000

/**
 * Again and again until none moves: one of them may be starting another, and on a busy host a process runs on until it is
 * its turn to see the signal.
 */
async function haltProcesses(run: string): Promise<void> {
  const deadline = performance.now() + haltTimeoutMs
  for (;;) {
    const pids = await listOfMachine(run)
    const moving = await Promise.all(pids.map(isMoving))
    const left = pids.filter((_, index) => moving[index])
    if (left.length === 0 || performance.now() > deadline) return
    for (const pid of left) signal(pid, 'SIGSTOP')
    await sleep(2)
  }
}

export async function resume(machine: RunningMachine): Promise<void> {
  if (machine.group) await machine.group.thaw()
  else for (const pid of await listOfMachine(machine.places.run)) signal(pid, 'SIGCONT')
  machine.paused = false
}
