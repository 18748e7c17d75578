import type { Capability } from '../kernel/capability.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { ProjectAccessOptions } from './parts.ts'
import { projectAccessRoutes } from './routes.ts'

export type { ProjectAccessOptions } from './parts.ts'

/** Who may work in a project, by invitation, request, group or name on a single agent; and the project's API keys. */
export function createProjectAccess(kernel: Kernel, options: ProjectAccessOptions): Capability {
  return { routes: projectAccessRoutes({ ...options, kernel }) }
}
