import type { Protocol } from '../resolve.ts'

export interface Provider {
  readonly id: string
  readonly protocol: Protocol
  readonly baseUrl: string
  /** Environment variables its key is known by; a project secret of such a name connects it. */
  readonly keyNames: readonly string[]
  readonly hasResponses: boolean
  readonly isResponsesOnly: boolean
  /** Its keys stand for a subscription: calls are priced at zero. */
  readonly isSubscription: boolean
  /** Its name in the price data, where that differs. */
  readonly priceId: string
}

const openai = (id: string, baseUrl: string, keyName: string, more: Partial<Provider> = {}): Provider => ({
  id,
  protocol: 'openai',
  baseUrl,
  keyNames: [keyName],
  hasResponses: false,
  isResponsesOnly: false,
  isSubscription: false,
  priceId: id,
  ...more,
})

/** Providers that a key alone connects. An operator's models file adds others or changes where one of these is. */
export const knownProviders: readonly Provider[] = [
  openai('openai', 'https://api.openai.com/v1', 'OPENAI_API_KEY', { hasResponses: true }),
  openai('anthropic', 'https://api.anthropic.com/v1', 'ANTHROPIC_API_KEY', { protocol: 'anthropic' }),
  openai('google', 'https://generativelanguage.googleapis.com/v1beta', 'GEMINI_API_KEY', {
    protocol: 'google',
    keyNames: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  }),
  openai('codex', 'https://chatgpt.com/backend-api/codex', 'CODEX_ACCESS_TOKEN', {
    hasResponses: true,
    isResponsesOnly: true,
    isSubscription: true,
    priceId: 'openai',
  }),
  openai('openrouter', 'https://openrouter.ai/api/v1', 'OPENROUTER_API_KEY'),
  openai('groq', 'https://api.groq.com/openai/v1', 'GROQ_API_KEY'),
  openai('mistral', 'https://api.mistral.ai/v1', 'MISTRAL_API_KEY'),
  openai('deepseek', 'https://api.deepseek.com/v1', 'DEEPSEEK_API_KEY'),
  openai('xai', 'https://api.x.ai/v1', 'XAI_API_KEY', { priceId: 'x-ai' }),
  openai('together', 'https://api.together.xyz/v1', 'TOGETHER_API_KEY'),
  openai('fireworks', 'https://api.fireworks.ai/inference/v1', 'FIREWORKS_API_KEY'),
  openai('cerebras', 'https://api.cerebras.ai/v1', 'CEREBRAS_API_KEY'),
  openai('perplexity', 'https://api.perplexity.ai', 'PERPLEXITY_API_KEY'),
  openai('deepinfra', 'https://api.deepinfra.com/v1/openai', 'DEEPINFRA_API_KEY'),
  openai('moonshot', 'https://api.moonshot.ai/v1', 'MOONSHOT_API_KEY', { priceId: 'moonshotai' }),
  openai('cohere', 'https://api.cohere.ai/compatibility/v1', 'COHERE_API_KEY'),
  openai('nebius', 'https://api.studio.nebius.com/v1', 'NEBIUS_API_KEY'),
  openai('zai', 'https://api.z.ai/api/paas/v4', 'ZAI_API_KEY'),
]
