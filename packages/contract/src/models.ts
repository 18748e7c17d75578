import { z } from 'zod'
import { operation } from './kernel/operation.ts'
import { bytes } from './kernel/payload.ts'

/** Models as agents and programs reach them: OpenAI's chat completions, and which models there are. */

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

export const ModelInfo = z
  .object({
    name: z.string(),
    provider: z.string(),
    description: z.string(),
    free: z.boolean(),
    tool_call: z.boolean(),
    reasoning: z.boolean(),
    attachment: z.boolean(),
    limit: z.object({ context: z.number(), output: z.number() }),
    cost: z.object({ input: z.number(), output: z.number() }),
  })
  .meta({ id: 'ModelInfo', description: 'One model: what it can do, its limits, its price in USD per million tokens.' })

export const chatCompletions = operation({
  id: 'models.chatCompletions',
  at: 'POST /v1/llm/chat/completions',
  summary: 'Let a model answer',
  description:
    'Speaks OpenAI’s chat completions: a JSON document, or with `stream` server-sent events that end with `[DONE]`. ' +
    'Needs a credential that belongs to one project: a session’s own token or a project’s key.',
  needs: 'signed-in',
  audit: 'none',
  body: ChatCompletionInput,
  returns: bytes('application/json'),
  errors: ['model_not_found', 'project_required'],
  maxBodyBytes: 32 * 1024 * 1024,
  deadlineMs: null,
})

export const list = operation({
  id: 'models.list',
  at: 'GET /v1/llm/models',
  summary: 'The models that the caller can use',
  needs: 'signed-in',
  audit: 'none',
  returns: z.object({ models: z.record(z.string(), ModelInfo) }),
})
