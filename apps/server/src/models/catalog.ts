import type { ModelInfo } from '@svc/contract'
import type { z } from 'zod'

/** A model as runtimes are told about it. Prices are USD per million tokens. */
export interface ServedModel {
  readonly id: string
  readonly name: string
  readonly contextTokens: number
  readonly outputTokens: number
  readonly inputPrice: number
  readonly outputPrice: number
  readonly acceptsImages: boolean
}

const scripted: ServedModel = {
  id: 'scripted',
  name: 'Scripted model (no AI)',
  contextTokens: 128_000,
  outputTokens: 16_000,
  inputPrice: 0,
  outputPrice: 0,
  acceptsImages: false,
}

export const servedModels: readonly ServedModel[] = [scripted]

/** The managed provider's prefix is optional on the wire. */
export function isScriptedModel(wireId: string): boolean {
  return wireId.replace(/^svc\//, '') === scripted.id
}

export function describeModels(): Record<string, z.input<typeof ModelInfo>> {
  return {
    [scripted.id]: {
      name: scripted.name,
      provider: 'svc',
      description: 'Follows a script in the prompt or a fixed plan. Built in: needs no key and no network.',
      free: true,
      tool_call: true,
      reasoning: true,
      attachment: false,
      limit: { context: scripted.contextTokens, output: scripted.outputTokens },
      cost: { input: scripted.inputPrice, output: scripted.outputPrice },
    },
  }
}
