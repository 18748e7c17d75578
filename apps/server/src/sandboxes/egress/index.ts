import type { Kernel } from '../../kernel/kernel.ts'
import { createAuthorities } from './authorities.ts'
import { createConnectionLog } from './connection-log.ts'
import { createDial, createSandboxPolicy, type Dial } from './dial.ts'
import { type EgressSocket, openEgressSocket } from './open-socket.ts'
import { createPlatformApi } from './platform-api.ts'
import { createRules } from './rules.ts'
import { addLogRows } from './store.ts'
import type { EgressMachine, Substitution } from './substitution.ts'

export type { EgressSocket } from './open-socket.ts'
export { egressRulesChanged } from './rules.ts'
export { egressSettings } from './settings.ts'
export type { EgressDecision, EgressMachine, EgressRequest, Substitution } from './substitution.ts'
export type { Target } from './target.ts'

export interface EgressOptions {
  /** The port of the platform's own API, asked when a sandbox calls it. */
  readonly platformPort: () => number
  readonly substitution?: Substitution
  /** How connections are opened, and which certificates count besides the usual; for tests. */
  readonly dial?: Dial
  readonly trust?: string
}

export interface OpenEgress extends EgressMachine {
  /** Made here, before the machine starts; at most 103 bytes long. */
  readonly socketPath: string
  /** The machine's own user; without one only this process's user may connect. */
  readonly uid?: number
}

export interface Egress {
  open(machine: OpenEgress): Promise<EgressSocket>
  /** The certificate that the project's sandboxes must trust besides the usual ones, as PEM. */
  readCertificate(projectId: string): Promise<string>
  /** Writes what is gathered of the log. */
  flushLog(): Promise<void>
  /** Ends every machine's connections. */
  stop(): Promise<void>
}

/** The only way out of a sandbox: a socket per machine, the project's rules, and a log of every connection. */
export function createEgress(kernel: Kernel, options: EgressOptions): Egress {
  const { database, clock, log, config, outbound } = kernel
  const rules = createRules(kernel)
  const authorities = createAuthorities(kernel)
  const dial = options.dial ?? createDial({ policy: createSandboxPolicy(outbound.policy) })
  const connections = createConnectionLog({ write: (rows) => addLogRows(database.sql, rows), clock, log })
  const platformApi = createPlatformApi(config.host, options.platformPort)
  const open = new Set<EgressSocket>()

  return {
    async open({ socketPath, uid, ...machine }) {
      const made = await openEgressSocket({
        socketPath,
        machine,
        rules,
        dial,
        log: connections,
        clock,
        platformApi,
        authorities,
        substitution: options.substitution,
        ...(uid === undefined ? {} : { uid }),
        ...(options.trust === undefined ? {} : { trust: options.trust }),
      })
      open.add(made)
      return {
        async close() {
          open.delete(made)
          await made.close()
        },
      }
    },
    readCertificate: async (projectId) => (await authorities.of(projectId)).certificatePem,
    flushLog: () => connections.flush(),
    async stop() {
      await Promise.all([...open].map((socket) => socket.close()))
      rules.stop()
      platformApi.stop()
      await connections.stop()
    },
  }
}
