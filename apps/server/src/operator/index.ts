import type { Capability } from '../kernel/capability.ts'
import type { OperatorOptions } from './options.ts'
import { operatorRoutes } from './routes.ts'

export type { OperatorOptions }

/** What whoever runs this instance sees and decides. */
export function createOperator(options: OperatorOptions): Capability {
  return { routes: operatorRoutes(options) }
}
