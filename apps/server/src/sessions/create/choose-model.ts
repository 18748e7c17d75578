import { problem } from '../../kernel/http/index.ts'
import type { RuntimeModel } from '../../runtimes/index.ts'
import type { Parts } from '../parts.ts'
import type { Plan } from './read-plan.ts'

/** Every model is reached through the gateway, which is one provider to the runtime. */
export const gatewayProvider = 'svc'

export interface ChosenModel {
  readonly model: string
  readonly source: 'request' | 'agent' | 'platform'
}

/** In this order: what the request names, what the agent's file names, the platform's default. */
export async function chooseModel(
  parts: Parts,
  projectId: string,
  asked: { readonly request: string | undefined; readonly agentModel: string | undefined },
): Promise<ChosenModel> {
  const models = await parts.models.listModels(projectId)
  if (asked.request !== undefined) return { model: requireModel(models, asked.request), source: 'request' }
  const ofAgent = asked.agentModel === undefined ? undefined : findModel(models, asked.agentModel)
  if (ofAgent !== undefined) return { model: ofAgent, source: 'agent' }
  const [first] = models
  if (!first) throw problem('session_model_resolution_failed')
  return { model: qualify(first.id), source: 'platform' }
}

/** What the agent's own file names; a file that does not compile names none, and the boot tells why. */
export async function readAgentModel(
  { runtimes }: Parts,
  { repository, baseSha, manifest }: Plan,
  agentName: string,
): Promise<string | undefined> {
  const input = { git: repository.git, commit: baseSha, manifest, agentName, onlyAgent: true }
  const compiled = await runtimes.compileAgents(input).catch(() => undefined)
  const agents = compiled?.config.agent
  const agent: unknown = typeof agents === 'object' && agents !== null ? Reflect.get(agents, agentName) : undefined
  const model: unknown = typeof agent === 'object' && agent !== null ? Reflect.get(agent, 'model') : undefined
  return typeof model === 'string' ? model : undefined
}

export function requireModel(models: readonly RuntimeModel[], id: string): string {
  const found = findModel(models, id)
  if (found !== undefined) return found
  throw problem('invalid_session_model', {
    say: `The model ${id} is unknown or cannot be used here.`,
    extras: { available_models: models.slice(0, 100).map((model) => qualify(model.id)) },
  })
}

function findModel(models: readonly RuntimeModel[], id: string): string | undefined {
  const found = models.find((model) => model.id === id || qualify(model.id) === id)
  return found && qualify(found.id)
}

export function qualify(id: string): string {
  return id.startsWith(`${gatewayProvider}/`) ? id : `${gatewayProvider}/${id}`
}

/** The two halves as the runtime takes them. */
export function splitModel(model: string): { providerID: string; modelID: string } {
  const slash = model.indexOf('/')
  return slash < 0
    ? { providerID: gatewayProvider, modelID: model }
    : { providerID: model.slice(0, slash), modelID: model.slice(slash + 1) }
}
