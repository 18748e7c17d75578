import { readFileSync, statSync } from 'node:fs'
import { z } from 'zod'
import type { Logger } from '../../kernel/log/index.ts'
import { StartError } from '../../kernel/start-error.ts'

const rates = {
  input: z.number().min(0),
  output: z.number().min(0),
  cache_read: z.number().min(0).optional(),
  cache_write: z.number().min(0).optional(),
  /** What stays in the provider's cache for an hour. */
  cache_write_hour: z.number().min(0).optional(),
  input_audio: z.number().min(0).optional(),
  output_audio: z.number().min(0).optional(),
  output_image: z.number().min(0).optional(),
  /** Dollars for a thousand. */
  calls: z.number().min(0).optional(),
  web_searches: z.number().min(0).optional(),
}

const ModelRow = z.strictObject({
  provider: z.string().min(1),
  /** As the provider calls it; the same name when left out. */
  model: z.string().min(1).optional(),
  name: z.string().optional(),
  description: z.string().optional(),
  context: z.number().int().positive().optional(),
  output: z.number().int().positive().optional(),
  images: z.boolean().optional(),
  tools: z.boolean().optional(),
  reasoning: z.boolean().optional(),
  /** Dollars for a million tokens. */
  cost: z.strictObject(rates).optional(),
  /** Later prices, each from a day on. */
  costs: z.array(z.strictObject({ ...rates, from: z.iso.date() })).optional(),
})

const ProviderRow = z.strictObject({
  base_url: z.url({ protocol: /^https?$/ }),
  protocol: z.enum(['openai', 'anthropic', 'google']).default('openai'),
  /** The variable of this process that holds the operator's key. */
  key_env: z.string().min(1).optional(),
  /** Names of project secrets that connect it with a project's own key. */
  secret_names: z.array(z.string().min(1)).default([]),
  /** Whether it speaks the responses protocol beside chat completions, or nothing else. */
  responses: z.union([z.boolean(), z.literal('only')]).default(false),
  /** Its keys stand for a subscription: calls are priced at zero. */
  subscription: z.boolean().optional(),
  price_id: z.string().optional(),
  headers: z.record(z.string(), z.string()).default({}),
})

const FallbackRow = z.strictObject({
  models: z.array(z.string()).max(8),
  on: z.enum(['transient', 'any-error']).default('transient'),
})

const ModelsFile = z.strictObject({
  providers: z.record(z.string().regex(/^[a-z0-9][a-z0-9._-]*$/), ProviderRow).default({}),
  models: z.record(z.string().regex(/^[^\s/]{1,128}$/), ModelRow).default({}),
  /** Limits and prices of models that projects reach with their own keys, as `provider/model`. */
  catalog: z.record(z.string(), ModelRow.omit({ provider: true, model: true })).default({}),
  /** Whether model servers on this machine are looked for. */
  local: z.boolean().default(true),
  default_model: z.string().optional(),
  vision_model: z.string().optional(),
  fallback: FallbackRow.optional(),
  /** What a managed model costs here for each dollar of its provider. */
  markup: z.number().min(0).default(1.2),
  timeouts: z
    .strictObject({
      connect_ms: z.number().int().positive().default(10_000),
      first_byte_ms: z.number().int().positive().default(600_000),
      idle_ms: z.number().int().positive().default(120_000),
      /** For a whole answer in the playground; whoever streams there has no such limit. */
      playground_ms: z.number().int().positive().max(110_000).default(110_000),
    })
    .prefault({}),
})

export type OperatorModels = z.output<typeof ModelsFile>
export type OperatorModelRow = OperatorModels['models'][string]
export type CatalogRow = OperatorModels['catalog'][string]

export interface OperatorModelsSource {
  /** What the file says now; a change of it counts within a second, a broken one not at all. */
  current(): OperatorModels
}

const nothingConfigured: OperatorModels = ModelsFile.parse({})
const lookAgainMs = 1_000

export function readOperatorModels(path: string | undefined, log: Logger): OperatorModelsSource {
  if (path === undefined) return { current: () => nothingConfigured }
  let known = parseFile(path)
  let changedAt = statSync(path).mtimeMs
  let lookedAt = performance.now()
  return {
    current() {
      if (performance.now() - lookedAt < lookAgainMs) return known
      lookedAt = performance.now()
      try {
        const { mtimeMs } = statSync(path)
        if (mtimeMs === changedAt) return known
        changedAt = mtimeMs
        known = parseFile(path)
      } catch (error) {
        log.error('the models file cannot be read; what it said before still counts', { error })
      }
      return known
    },
  }
}

function parseFile(path: string): OperatorModels {
  const parsed = ModelsFile.safeParse(readJson(path))
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  throw new StartError(
    `SVC_MODELS_FILE: ${issue?.path.join('.') || 'the file'} ${issue?.message ?? 'is not valid'}.`,
    'Correct the file; docs/guide/models.md shows one.',
  )
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (cause) {
    throw new StartError(
      `SVC_MODELS_FILE: ${path} cannot be read as JSON.`,
      'Check that the file exists and is valid JSON, or unset the variable.',
      { cause },
    )
  }
}
