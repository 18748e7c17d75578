import type { BridgeModel, BridgeSettings } from './settings.ts'

export function describeAgent({ agent }: BridgeSettings) {
  return {
    name: agent.name,
    ...(agent.description === undefined ? {} : { description: agent.description }),
    ...(agent.prompt === undefined ? {} : { prompt: agent.prompt }),
    mode: 'primary',
    permission: [],
    options: {},
  }
}

export function describeProviders({ model, models }: BridgeSettings) {
  const id = model.providerID
  const provider = {
    id,
    name: id,
    source: 'config',
    env: [],
    options: {},
    models: Object.fromEntries(models.map((one) => [one.id, describeModel(one, id)])),
  }
  return { providers: [provider], default: { [id]: model.modelID } }
}

function describeModel(model: BridgeModel, providerID: string) {
  return {
    id: model.id,
    providerID,
    name: model.name,
    capabilities: { toolcall: true },
    cost: { input: model.inputPrice, output: model.outputPrice, cache: { read: 0, write: 0 } },
    limit: { context: model.contextTokens, output: model.outputTokens },
    status: 'active',
    options: {},
  }
}
