import type { Socket } from 'node:net'
import type { Clock } from '../../kernel/clock/index.ts'
import { createSlots } from '../../kernel/slots.ts'
import { isAllowed } from './allow-list.ts'
import type { ConnectionLog, Outcome } from './connection-log.ts'
import type { Dial } from './dial.ts'
import { EgressRefusal, explainDialError, notAllowed } from './refusal.ts'
import type { Rules } from './rules.ts'
import type { EgressMachine } from './substitution.ts'
import type { Target } from './target.ts'

export interface GateOptions {
  readonly machine: EgressMachine
  readonly rules: Pick<Rules, 'read'>
  readonly dial: Dial
  readonly log: ConnectionLog
  readonly clock: Clock
}

/** A way out that was granted. `end` is called once, however it ended. */
export interface Passage {
  readonly socket: Socket
  end(outcome: Outcome): void
}

export interface MachineGate {
  /** Throws `EgressRefusal` unless the project's rules and the address allow it. Logged either way. */
  pass(target: Target): Promise<Passage>
  noteRefusal(target: Target, outcome: Outcome): void
}

/** Connections that one machine opens at the same moment; the others wait their turn. */
const dialsAtOnce = 64
/** A connection on which nothing moved for this long is closed. */
const idleMs = 15 * 60_000

export function createMachineGate({ machine, rules, dial, log, clock }: GateOptions): MachineGate {
  const { projectId, sandboxId } = machine
  const slots = createSlots(dialsAtOnce)

  function note(target: Target, outcome: Outcome, startedAt: Date, socket?: Socket): void {
    const bytesIn = socket?.bytesRead ?? 0
    const bytesOut = socket?.bytesWritten ?? 0
    log.note({ projectId, sandboxId, target, outcome, bytesIn, bytesOut, startedAt })
  }

  async function open(target: Target): Promise<Socket> {
    if (!isAllowed(await readRules(), target)) throw notAllowed(target)
    return slots.run(() => dial(target))
  }

  /** While nobody can say what is allowed, nothing is. */
  async function readRules() {
    try {
      return await rules.read(projectId)
    } catch (error) {
      const refusal = [
        'egress_unknown',
        'The project’s rules could not be read.',
        'Try again in a few seconds.',
      ] as const
      throw Object.assign(new EgressRefusal('unreachable', 503, ...refusal), { cause: error })
    }
  }

  return {
    async pass(target) {
      const startedAt = new Date(clock.nowMs())
      try {
        const socket = await open(target)
        let ended = false
        socket.setTimeout(idleMs, () => socket.destroy())
        // Whoever uses it handles what breaks; until then a broken connection must not end the process.
        socket.on('error', () => socket.destroy())
        return {
          socket,
          end(outcome) {
            if (ended) return
            ended = true
            note(target, outcome, startedAt, socket)
          },
        }
      } catch (error) {
        const refusal = explainDialError(error, target)
        note(target, refusal.outcome, startedAt)
        throw refusal
      }
    },
    noteRefusal: (target, outcome) => note(target, outcome, new Date(clock.nowMs())),
  }
}
