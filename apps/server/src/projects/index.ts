import type { FeatureFlag } from '@svc/contract'
import type { Capability } from '../kernel/capability.ts'
import { problem } from '../kernel/http/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Principal } from '../kernel/principal.ts'
import { featureDisabled, flagsOf, isFeatureEnabled } from './features.ts'
import type { Parts, ProjectsOptions } from './parts.ts'
import { toProjectRecord } from './project-record.ts'
import { type Caller, type LinkInput, linkRemote } from './provision/create-from-remote.ts'
import { repairProjects } from './provision/repair.ts'
import { projectRoutes } from './routes.ts'
import { findProject } from './store/projects.ts'

export type { AppHost, AppRepository, NewAppRepository } from './app-host.ts'
export type { ProjectsOptions } from './parts.ts'
export { projectChanged } from './project-changed.ts'
export type { ProjectRow } from './store/projects.ts'

export type Projects = ReturnType<typeof createProjects>

/** Projects: what everything else hangs on. */
export function createProjects(kernel: Kernel, options: ProjectsOptions) {
  const flags = flagsOf(kernel.config.llmGateway, () => (options.sandboxProviders?.() ?? []).length > 0)
  const parts: Parts = {
    ...options,
    kernel,
    flags,
    home: options.repositories.readHome,
  }
  const capability: Capability = { routes: projectRoutes(parts) }

  async function isEnabled(projectId: string, feature: FeatureFlag): Promise<boolean> {
    const row = await findProject(kernel.database.db, projectId)
    if (!row) throw problem('not_found')
    return isFeatureEnabled(row, feature, flags)
  }

  return {
    ...capability,
    /** Before anybody is served: undoes what a killed process had begun. */
    repair: () => repairProjects(parts),
    /** A project on a repository that lives elsewhere, with where that is. */
    linkRemote: (caller: Caller, input: LinkInput) => linkRemote(parts, caller, input),
    findProject: (projectId: string) => findProject(kernel.database.db, projectId),
    /** The record of a project as this caller sees it. */
    describeProject: async (projectId: string, principal: Principal) =>
      toProjectRecord(parts, await findProject(kernel.database.db, projectId), principal),
    isFeatureEnabled: isEnabled,
    /** Throws 403 `feature_disabled` while the flag is off; for handlers, after the gate has let the caller in. */
    async requireFeature(projectId: string, feature: FeatureFlag): Promise<void> {
      if (!(await isEnabled(projectId, feature))) throw featureDisabled(feature)
    },
  }
}
