import type { Capability } from '../kernel/capability.ts'
import { type SystemOptions, systemRoutes } from './routes.ts'

export function createSystem(options: SystemOptions): Capability {
  return { routes: systemRoutes(options) }
}
