import type { AccessCapability } from '../access/index.ts'
import type { Tokens } from '../identity/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Repositories } from '../repositories/index.ts'
import type { AppHost } from './app-host.ts'
import type { FlagSettings } from './features.ts'

/** What projects need from the rest of the platform. */
export interface ProjectsOptions {
  readonly repositories: Repositories
  readonly access: Pick<
    AccessCapability,
    'grantRole' | 'effectiveProjectRole' | 'listAccessibleProjects' | 'noteChange'
  >
  readonly tokens: Tokens
  readonly publicUrl: () => string
  /** Where an app of this instance reaches repositories without anybody's token. */
  readonly appHost?: AppHost
  /** Sandbox providers this deployment offers, the default first. */
  readonly sandboxProviders?: () => readonly string[]
  /** The provider each of these projects chose; those that chose none are left out. */
  readonly selectedProviders?: (projectIds: readonly string[]) => Promise<ReadonlyMap<string, string>>
}

export interface Parts extends ProjectsOptions {
  readonly kernel: Kernel
  readonly flags: FlagSettings
  /** Names this data directory for ever. */
  readonly home: () => Promise<string>
}
