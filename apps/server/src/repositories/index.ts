import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { closeAllReaders, openRepository, readBranch } from '../git/index.ts'
import type { Capability } from '../kernel/capability.ts'
import { type Call, problem } from '../kernel/http/index.ts'
import type { Kernel, OnStop } from '../kernel/kernel.ts'
import { createKeyedLock } from '../kernel/keyed-lock.ts'
import type { Principal } from '../kernel/principal.ts'
import { gitCheck } from './check-git.ts'
import { createGarbageCollection } from './collect-garbage.ts'
import { historyRoutes } from './files/history-routes.ts'
import { fileRoutes, openReading } from './files/routes.ts'
import { hostingRoutes } from './hosting/routes.ts'
import { editManifest, type ManifestEdit } from './manifest/edit-manifest.ts'
import { readManifest } from './manifest/read-manifest.ts'
import type { Parts, ProjectRepository } from './parts.ts'
import { readHome } from './read-home.ts'
import { createRemotes, type LinkedRow } from './remote/remotes.ts'
import { findRepository } from './store.ts'

export { describeAuthor } from './describe-author.ts'
export { hiding } from './files/history-routes.ts'
export { toCommitFile, toFile } from './files/records.ts'
export type { Reading } from './files/routes.ts'
export { answerGit, toProblem } from './git-problem.ts'
export type { ManifestEdit } from './manifest/edit-manifest.ts'
export { type ManifestFile, readManifest } from './manifest/read-manifest.ts'
export type { ProjectRepository } from './parts.ts'
export { recordChange } from './record-change.ts'
export type { LinkedRow } from './remote/remotes.ts'
export { repositoryChanged } from './repository-changed.ts'
export { requireRepositoryAccess } from './require-repository-access.ts'
export { setHead } from './set-head.ts'
export {
  addRepository,
  changeRepository,
  findRepositories,
  isNameTaken,
  type NewRepository,
  type RepositoryRow,
} from './store.ts'
export { toConnection } from './to-connection.ts'

export interface RepositoriesOptions {
  readonly onStop: OnStop
  /** The account role of a person, if any. */
  readonly accountRole: (userId: string, accountId: string) => Promise<'owner' | 'admin' | 'member' | undefined>
  /** For repositories elsewhere that an installed app reaches. */
  readonly appToken?: (row: LinkedRow) => Promise<string>
}

export type Repositories = ReturnType<typeof createRepositories>

/** Projects' repositories: where they lie, git over HTTP, their files and history, and edits of the manifest. */
export function createRepositories(kernel: Kernel, options: RepositoriesOptions) {
  const { onStop, accountRole, appToken } = options
  const home = join(kernel.config.dataDir, 'repositories')
  const pathOf = (projectId: string) => join(home, `${projectId}.git`)
  onStop(() => closeAllReaders())
  let homeId: Promise<string> | undefined
  const remotes = createRemotes(kernel, { pathOf, onStop, appToken })

  const parts: Parts = {
    kernel,
    withLock: createKeyedLock(),
    remotes,
    quotaBytes: kernel.config.repositoryQuotaBytes,
    // Owners and admins pass the object rule whatever it says; for anybody else it is asked name by name.
    async seesEverything({ kind, id, agentGrant }: Principal, accountId) {
      if (kind !== 'user' || agentGrant) return false
      const role = await accountRole(id, accountId)
      return role === 'owner' || role === 'admin'
    },
    async findRepository(projectId) {
      const row = await findRepository(kernel.database.db, projectId)
      if (!row) throw problem('not_found')
      return { ...row, git: openRepository(pathOf(projectId)) }
    },
    async openCurrent(projectId) {
      const repository = await parts.findRepository(projectId)
      await remotes.sync(repository)
      return repository
    },
  }
  const collection = createGarbageCollection(kernel, pathOf)
  const capability: Capability = {
    routes: [...fileRoutes(parts), ...historyRoutes(parts), ...hostingRoutes(parts)],
    jobs: [collection.job],
    schedules: [collection.schedule],
    checks: [gitCheck],
  }

  return {
    ...capability,
    /** The folder of all repositories, and the place of one. */
    home,
    pathOf,
    /** Names this server's data directory for ever, also where several servers share the folder of repositories. */
    readHome() {
      homeId ??= readHome(kernel.config.dataDir)
      return homeId
    },
    existsOnDisk: (projectId: string) => existsSync(pathOf(projectId)),
    remotes,
    withLock: parts.withLock,
    findRepository: parts.findRepository,
    openCurrent: parts.openCurrent,
    /** For the caller of an operation: up to date where possible, and with the files it may not see left out. */
    openReading: (call: Call) => openReading(parts, call),
    /** One edit of the manifest as one commit on the default branch; 409 when somebody else edited it meanwhile. */
    editManifest: (projectId: string, edit: ManifestEdit) => editManifest(parts, projectId, edit),
    /** The manifest on the default branch, or undefined when there is none. */
    async readDefaultManifest(repository: ProjectRepository) {
      const tip = await readBranch(repository.git, repository.defaultBranch)
      return tip === null ? undefined : readManifest(repository.git, tip, repository.manifestPath)
    },
  }
}
