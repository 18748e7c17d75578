import type { ChildProcess } from 'node:child_process'
import type { OnReadOpts, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Cgroup } from './cgroups/index.ts'
import type { EarlyShell } from './early-shell.ts'
import type { MachinePlaces } from './layout.ts'
import type { OpenWay } from './local-parts.ts'
import type { LocalSpec } from './spec-file.ts'

/** What this process knows of a machine that runs. */
export interface RunningMachine {
  readonly spec: LocalSpec
  readonly places: MachinePlaces
  readonly child: ChildProcess
  readonly bootPipe: Duplex
  /** Takes commands until the daemon serves. */
  readonly firstShell: EarlyShell
  readonly group: Cgroup | undefined
  /** The first process inside, as the host numbers it; its end is the end of everything inside. */
  readonly initPid: () => number | undefined
  readonly daemonPid: () => Promise<number | undefined>
  /** A connection to the daemon; fails while there is none. */
  readonly reach: (onread?: OnReadOpts) => Promise<Socket>
  /** The last of what it said. */
  readonly output: () => string
  /** Resolves with the reason when the machine has ended and nothing of it is left outside its folder. */
  readonly ended: Promise<string>
  /** What opens the daemon; kept in memory only. Undefined while it waits for an owner. */
  serviceKey: string | undefined
  egress: OpenWay | undefined
  paused: boolean
  /** Set before the platform ends it: what to say about it. */
  endReason: string | undefined
  /** Somebody wants it stopped, so its end is no news. */
  endWasAsked: boolean
}
