import type { GenerationConfig, ModelFacts } from '../resolve.ts'

/** Generation values within what the model can do; what it cannot do at all is left out. */
export function clampGeneration(
  given: GenerationConfig,
  model: Pick<ModelFacts, 'outputTokens' | 'reasons'>,
): GenerationConfig {
  const { reasoningEffort, temperature, topP, maxOutputTokens } = given
  return {
    ...(reasoningEffort === undefined || !model.reasons ? {} : { reasoningEffort }),
    ...(temperature === undefined ? {} : { temperature: between(0, temperature, 2) }),
    ...(topP === undefined ? {} : { topP: between(0, topP, 1) }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens: between(1, maxOutputTokens, model.outputTokens) }),
  }
}

function between(least: number, value: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}
