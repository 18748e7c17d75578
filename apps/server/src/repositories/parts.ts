import type { Repository } from '../git/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { WithLock } from '../kernel/keyed-lock.ts'
import type { Principal } from '../kernel/principal.ts'
import type { Remotes } from './remote/remotes.ts'
import type { RepositoryRow } from './store.ts'

/** A project's repository: what is known about it, and the bare repository on this machine. */
export interface ProjectRepository extends RepositoryRow {
  readonly git: Repository
}

/** What the files of this capability share. */
export interface Parts {
  readonly kernel: Kernel
  readonly withLock: WithLock
  readonly remotes: Remotes
  /** Bytes a repository may hold. */
  readonly quotaBytes: number
  /** The repository as it is here; 404 when the project has none. */
  findRepository(projectId: string): Promise<ProjectRepository>
  /** The same, after a repository that lives elsewhere was brought up to date. */
  openCurrent(projectId: string): Promise<ProjectRepository>
  /** Whether the object rule leaves everything visible to this caller. */
  seesEverything(principal: Principal, accountId: string): Promise<boolean>
}
