import type { BootConfig } from './boot/boot-config.ts'
import type { Timeline } from './boot/timeline.ts'
import type { AgentEnvironment } from './environment/agent-environment.ts'
import type { RepositoryState } from './git/repository-state.ts'
import type { Runtime } from './runtime/supervise-runtime.ts'
import type { Settings } from './settings.ts'

/** What the routes share. One per process. */
export interface Daemon {
  readonly settings: Settings
  readonly boot: BootConfig | undefined
  readonly timeline: Timeline
  readonly environment: AgentEnvironment
  readonly runtime: Runtime | undefined
  readonly repository: RepositoryState
  /** The runtime's conversation of this session, told by the platform once it has made it. */
  conversationId: string | undefined
  /** Why this boot cannot become ready; undefined while it can. */
  bootError: string | undefined
  staticPort: number | undefined
  /** The runtime runs with variables that were replaced since it started. */
  isRuntimeStale: boolean
}

export const isConversationRequired = (daemon: Daemon): boolean => daemon.runtime !== undefined

/** Nothing of the boot is on its way any more, whether it went well or not; the conversation is the platform's to make. */
export function isSettled({ bootError, repository, runtime }: Daemon): boolean {
  if (bootError !== undefined || repository.error !== undefined || runtime?.fault !== undefined) return true
  return repository.status !== 'pending' && runtime?.state !== 'starting'
}

/** Repository on its branch, no boot error, runtime up, first conversation made. */
export function isRuntimeReady(daemon: Daemon): boolean {
  if (daemon.bootError !== undefined || daemon.repository.status === 'pending') return false
  if (daemon.repository.status === 'failed') return false
  if (!daemon.runtime) return true
  return daemon.runtime.state === 'ok' && daemon.conversationId !== undefined
}
