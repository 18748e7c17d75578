import { z } from 'zod'
import { operation } from './kernel/operation.ts'
import { bytes, relayed } from './kernel/payload.ts'

/** Models as agents and programs reach them: the protocols of OpenAI and Anthropic. */

const ToolCall = z.looseObject({
  id: z.string().max(256),
  type: z.literal('function').default('function'),
  function: z.looseObject({ name: z.string().max(256), arguments: z.string() }),
})

const TextContent = z.union([
  z.string(),
  z.array(z.looseObject({ type: z.string().max(64), text: z.string().optional() })).max(1_000),
])

export const ChatMessage = z
  .looseObject({
    role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
    content: TextContent.nullish(),
    tool_calls: z.array(ToolCall).max(1_000).nullish(),
    tool_call_id: z.string().max(256).optional(),
  })
  .meta({ id: 'ChatMessage', description: 'One message of a conversation, in OpenAI’s shape.' })

export const ChatTool = z
  .looseObject({
    type: z.literal('function').default('function'),
    function: z.looseObject({
      name: z.string().min(1).max(256),
      description: z.string().optional(),
      parameters: z.record(z.string(), z.unknown()).optional(),
    }),
  })
  .meta({ id: 'ChatTool', description: 'A tool that the model may call.' })

/** Fields beyond these pass: the protocol grows faster than any list of it. */
export const ChatCompletionInput = z
  .looseObject({
    model: z.string().min(1).max(256),
    messages: z.array(ChatMessage).min(1).max(10_000),
    tools: z.array(ChatTool).max(1_000).nullish(),
    stream: z.boolean().nullish(),
    stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  })
  .meta({ id: 'ChatCompletionInput', description: 'A chat completion request, in OpenAI’s shape.' })

const maxBodyBytes = 128 * 1024 * 1024

/** What every call through the gateway can be answered with. */
const refusals = [
  'invalid_json',
  'project_required',
  'model_not_found',
  'provider_not_connected',
  'provider_reauth_required',
  'model_disabled_on_deployment',
  'model_unavailable',
  'missing_token',
  'invalid_token',
  'budget_exceeded',
  'model_disabled',
  'provider_disabled',
  'request_too_large',
  'gateway_error',
  'gateway_overloaded',
  'not_found',
] as const

interface Endpoint {
  readonly id: string
  readonly at: `POST /v1/llm/${string}`
  readonly summary: string
  readonly description: string
}

const answers = ({ id, at, summary, description }: Endpoint) =>
  operation({
    id: `models.${id}`,
    at,
    summary,
    description: `${description} The credential is a gateway key, a session’s own token, or a token together with \`X-Svc-Project-Id\`.`,
    needs: 'signed-in',
    mayNeed: ['project.read'],
    audit: 'none',
    body: bytes('application/json'),
    returns: relayed,
    errors: refusals,
    maxBodyBytes,
    idempotent: false,
  })

export const chatCompletions = answers({
  id: 'chatCompletions',
  at: 'POST /v1/llm/chat/completions',
  summary: 'Let a model answer, in OpenAI’s chat protocol',
  description: 'A JSON document, or with `stream` server-sent events that end with `[DONE]`.',
})

export const messages = answers({
  id: 'messages',
  at: 'POST /v1/llm/messages',
  summary: 'Let a model answer, in Anthropic’s protocol',
  description: 'Refusals have Anthropic’s shape; `x-api-key` is a credential too.',
})

export const messagesBelow = answers({
  id: 'messagesBelow',
  at: 'POST /v1/llm/v1/messages',
  summary: 'Let a model answer, where Anthropic’s own client calls',
  description: 'The same as `/v1/llm/messages`.',
})

export const responses = answers({
  id: 'responses',
  at: 'POST /v1/llm/responses',
  summary: 'Let a model answer, in OpenAI’s responses protocol',
  description: 'A JSON document, or with `stream` server-sent events.',
})

export const embeddings = answers({
  id: 'embeddings',
  at: 'POST /v1/llm/embeddings',
  summary: 'Turn texts into vectors, in OpenAI’s protocol',
  description: 'A JSON document.',
})

export const playground = operation({
  id: 'models.playground',
  at: 'POST /v1/projects/:projectId/gateway/playground/stream',
  summary: 'Let one model answer in the playground, as it comes',
  description:
    'Takes and gives what `/v1/llm/chat/completions` does, from people who are signed in: the dashboard asks each model of its playground so.',
  needs: 'project.gateway.spend.read',
  audit: 'request',
  body: bytes('application/json'),
  returns: relayed,
  errors: refusals,
  maxBodyBytes: 1024 * 1024,
  idempotent: false,
})

const CostTier = z.object({
  input: z.number(),
  output: z.number(),
  cache_read: z.number(),
  cache_write: z.number(),
  tier: z.object({ type: z.literal('context'), size: z.number() }),
})

export const ModelInfo = z
  .object({
    name: z.string(),
    provider: z.string().optional(),
    description: z.string().optional(),
    free: z.boolean().optional(),
    tool_call: z.boolean().optional(),
    reasoning: z.boolean().optional(),
    attachment: z.boolean().optional(),
    temperature: z.boolean().optional(),
    structured_output: z.boolean().optional(),
    limit: z.object({ context: z.number(), input: z.number().optional(), output: z.number() }).optional(),
    cost: z
      .object({
        input: z.number(),
        output: z.number(),
        cache_read: z.number(),
        cache_write: z.number(),
        /** Rates for prompts longer than `tier.size` tokens. */
        tiers: z.array(CostTier).optional(),
      })
      .optional(),
    modalities: z.object({ input: z.array(z.string()), output: z.array(z.string()) }).optional(),
    reasoning_options: z
      .array(
        z.object({
          type: z.string(),
          values: z.array(z.string()).optional(),
          min: z.number().optional(),
          max: z.number().optional(),
        }),
      )
      .optional(),
    family: z.string().optional(),
    release_date: z.string().optional(),
    last_updated: z.string().optional(),
    knowledge: z.string().optional(),
    open_weights: z.boolean().optional(),
  })
  .meta({ id: 'ModelInfo', description: 'One model: what it can do, its limits, its price in USD per million tokens.' })

export const list = operation({
  id: 'models.list',
  at: 'GET /v1/llm/models',
  summary: 'The models that the caller can use',
  description: 'Also in OpenAI’s form: `object` is `list` and `data` names each model.',
  needs: 'signed-in',
  mayNeed: ['project.read'],
  audit: 'request',
  query: z.object({ scope: z.literal('managed').optional() }),
  returns: z.object({
    object: z.literal('list'),
    data: z.array(z.object({ id: z.string(), object: z.literal('model'), created: z.number(), owned_by: z.string() })),
    models: z.record(z.string(), ModelInfo),
  }),
  errors: ['project_required', 'missing_token', 'invalid_token', 'not_found'],
})

export const health = operation({
  id: 'models.health',
  at: 'GET /v1/llm/health',
  summary: 'Whether the gateway takes calls',
  needs: 'public',
  audit: 'none',
  returns: z.object({ status: z.literal('ok') }),
})
