import type { Logger } from '../../kernel/log/index.ts'
import type { Cgroups } from './cgroups/index.ts'
import type { Launchers } from './launchers.ts'
import type { Layout } from './layout.ts'
import type { MachineFile } from './machine-files.ts'

/** A way out of a machine that can be shut. */
export interface OpenWay {
  close(): Promise<void>
}

/**
 * Opens the machine's only way out at a socket in its run folder; undefined while nobody owns the machine. The socket
 * must be usable by `hostUid` where there is one.
 */
export type OpenEgress = (machine: {
  readonly externalId: string
  readonly socketPath: string
  readonly hostUid: number | undefined
}) => Promise<OpenWay | undefined>

/** What the steps of this provider share. */
export interface LocalParts {
  readonly layout: Layout
  readonly log: Logger
  readonly cgroups: Cgroups | undefined
  /** Read-only parts of the host that every machine sees: Node, the daemon, the runtimes. */
  readonly files: () => readonly MachineFile[]
  readonly openEgress: OpenEgress
  readonly launchers: Launchers
  readonly bwrap: string
}
