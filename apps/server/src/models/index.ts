import type { Capability } from '../kernel/capability.ts'
import { type ServedModel, servedModels } from './catalog.ts'
import { modelRoutes } from './routes.ts'

export type { ServedModel } from './catalog.ts'
export { scriptedModelId } from './scripted/index.ts'

export interface Models extends Capability {
  /** What agents can choose from. */
  listServed(): readonly ServedModel[]
  /** `provider/model` when nothing else is chosen. */
  readonly defaultModel: string
}

/** Models as agents reach them. Today the scripted one alone, which needs no key. */
export function createModels(): Models {
  return { routes: modelRoutes(), listServed: () => servedModels, defaultModel: 'svc/scripted' }
}
