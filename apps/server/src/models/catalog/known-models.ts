/** What the price data does not tell of well-known models. First match wins; the most special stands first. */
export interface KnownModel {
  readonly match: RegExp
  readonly name?: string
  readonly context: number
  readonly output: number
  readonly images: boolean
  readonly tools: boolean
  readonly reasoning: boolean
}

const row = (match: RegExp, context: number, output: number, traits: string, name?: string): KnownModel => ({
  match,
  context,
  output,
  images: traits.includes('images'),
  tools: traits.includes('tools'),
  reasoning: traits.includes('reasoning'),
  ...(name === undefined ? {} : { name }),
})

/** Limits in tokens. An operator's models file overrides any of it. */
export const knownModels: readonly KnownModel[] = [
  row(/claude-(opus|sonnet)-4[.-](6|7|8)/, 1_000_000, 128_000, 'images tools reasoning'),
  row(/claude-opus-4[.-]5/, 200_000, 64_000, 'images tools reasoning'),
  row(/claude-(opus-4)/, 200_000, 32_000, 'images tools reasoning'),
  row(/claude-(sonnet-4|haiku-4|3-7-sonnet|3\.7-sonnet)/, 200_000, 64_000, 'images tools reasoning'),
  row(/claude-3[.-]5/, 200_000, 8_192, 'images tools'),
  row(/claude-3/, 200_000, 4_096, 'images tools'),
  row(/claude/, 200_000, 64_000, 'images tools reasoning'),
  row(/gpt-5[.0-9]*-(chat|search)/, 128_000, 16_384, 'images tools'),
  row(/gpt-5/, 400_000, 128_000, 'images tools reasoning'),
  row(/gpt-4\.1/, 1_047_576, 32_768, 'images tools'),
  row(/gpt-4o/, 128_000, 16_384, 'images tools'),
  row(/gpt-4-turbo/, 128_000, 4_096, 'images tools'),
  row(/gpt-4/, 8_192, 8_192, 'tools'),
  row(/gpt-3\.5/, 16_385, 4_096, 'tools'),
  row(/gpt-oss/, 131_072, 131_072, 'tools reasoning'),
  row(/(^|\/)o[134](-|$)/, 200_000, 100_000, 'images tools reasoning'),
  row(/codex/, 400_000, 128_000, 'images tools reasoning'),
  row(/gemini-(2\.5|3)/, 1_048_576, 65_536, 'images tools reasoning'),
  row(/gemini/, 1_048_576, 8_192, 'images tools'),
  row(/deepseek-(r1|reasoner)/, 128_000, 64_000, 'tools reasoning'),
  row(/deepseek/, 128_000, 8_192, 'tools'),
  row(/grok-4/, 256_000, 64_000, 'images tools reasoning'),
  row(/grok/, 131_072, 32_000, 'tools'),
  row(/(pixtral|mistral-(medium|small|large))/, 128_000, 16_384, 'images tools'),
  row(/(mistral|devstral|codestral|magistral|ministral)/, 128_000, 16_384, 'tools'),
  row(/llama-?4/, 131_072, 16_384, 'images tools'),
  row(/llama/, 131_072, 16_384, 'tools'),
  row(/qwen.*vl/, 131_072, 16_384, 'images tools'),
  row(/qwen/, 131_072, 32_768, 'tools reasoning'),
  row(/kimi/, 256_000, 32_768, 'tools reasoning'),
  row(/glm/, 200_000, 64_000, 'tools reasoning'),
  row(/minimax/, 200_000, 64_000, 'tools reasoning'),
]

const unknown: KnownModel = row(/./, 128_000, 8_192, 'tools')

export function describeKnown(modelId: string): KnownModel {
  const id = modelId.toLowerCase()
  return knownModels.find(({ match }) => match.test(id)) ?? unknown
}

/** Whether more is known of a model than that it exists. */
export function isKnown(modelId: string): boolean {
  return describeKnown(modelId) !== unknown
}

/** The most tokens that a provider counts for one picture, however large: it is scaled down before. */
const pictureLimits: readonly (readonly [RegExp, number])[] = [
  [/claude/, 6_000],
  [/gpt-4o-mini/, 50_000],
  [/gpt-|(^|\/)o[134](-|$)|codex/, 25_000],
  [/gemini/, 6_000],
]

/** Of a model that nobody knows, no bound but its context. */
export function mostPictureTokens(modelId: string): number {
  const id = modelId.toLowerCase()
  return pictureLimits.find(([match]) => match.test(id))?.[1] ?? Number.MAX_SAFE_INTEGER
}
