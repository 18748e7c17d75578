import type { OnReadOpts, Socket } from 'node:net'
import { createPortDialer, type PortDialer } from './port-dialer.ts'
import type { RunningMachine } from './running-machine.ts'

/** Kept while a machine's ports are in use, and for this long after. */
const idleMs = 60_000

interface Kept {
  readonly dialer: PortDialer
  readonly closing: NodeJS.Timeout
}

const dialers = new WeakMap<RunningMachine, Kept>()

/**
 * A connection to a port of the machine that belongs to this process alone: made by a small process of the host in the
 * machine's network, and handed over. Undefined until that process is up, and where the host does not allow it.
 */
export async function dialPort(machine: RunningMachine, port: number, onread: OnReadOpts): Promise<Socket | undefined> {
  const { dialer, closing } = dialers.get(machine) ?? openDialer(machine)
  closing.refresh()
  return dialer.dial(port, onread)
}

function openDialer(machine: RunningMachine): Kept {
  const dialer = createPortDialer(machine.initPid)
  const close = () => {
    clearTimeout(closing)
    dialers.delete(machine)
    dialer.close()
  }
  const closing = setTimeout(close, idleMs).unref()
  const kept = { dialer, closing }
  dialers.set(machine, kept)
  void machine.ended.then(close)
  return kept
}
