import { z } from 'zod'
import type { PartHealth } from '../../kernel/capability.ts'
import { connectEngine, type Engine } from './engine.ts'
import { findSocket, usualSockets } from './find-socket.ts'

const Info = z.looseObject({
  ServerVersion: z.string().optional(),
  SecurityOptions: z.array(z.string()).nullish(),
  PidsLimit: z.boolean().optional(),
  MemoryLimit: z.boolean().optional(),
})

const Version = z.looseObject({ Components: z.array(z.looseObject({ Name: z.string() })).nullish() })

export interface FoundEngine {
  readonly engine: Engine
  /** It runs as an ordinary user; users inside are mapped. */
  readonly isRootless: boolean
  /** Podman builds in the host's own network unless it is told otherwise in its own words. */
  readonly isPodman: boolean
}

const install =
  'Install Docker or Podman and start its socket (systemctl enable --now podman.socket), or name it in SVC_DOCKER_SOCKET.'

/** The engine, or why there is none and what to do. */
export async function findEngine(socketPath: string | undefined): Promise<FoundEngine | PartHealth> {
  if (process.platform !== 'linux') {
    return { status: 'missing', detail: 'Container sandboxes need Linux.', next: 'Run the platform on Linux.' }
  }
  const path = await findSocket(socketPath === undefined ? usualSockets() : [socketPath])
  if (path === undefined) {
    const where = socketPath ?? usualSockets().join(', ')
    return { status: 'missing', detail: `No container engine listens at ${where}.`, next: install }
  }
  const engine = connectEngine(path)
  try {
    const info = Info.parse(await engine.ask('/info', { timeoutMs: 5_000 }))
    const version = Version.parse(await engine.ask('/version', { timeoutMs: 5_000 }))
    return {
      engine,
      isRootless: (info.SecurityOptions ?? []).some((option) => option.includes('rootless')),
      isPodman: (version.Components ?? []).some(({ Name }) => /podman/i.test(Name)),
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { status: 'down', detail: `The container engine at ${path} does not answer: ${why}`, next: install }
  }
}

export function isFound(found: FoundEngine | PartHealth): found is FoundEngine {
  return 'engine' in found
}
