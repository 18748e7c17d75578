import { asArray, asObject, asText, compact, type Json } from './json.ts'
import { createResponsesStream, toCompletion } from './responses-answer.ts'
import { textOf } from './text-of.ts'
import type { Translation } from './translation.ts'

/**
 * A client that speaks OpenAI's chat, an upstream that speaks nothing but its responses: that of a subscription, which
 * keeps nothing, wants instructions, always streams, and refuses an output limit, a temperature and a `top_p`.
 */
export const chatToResponses: Translation = {
  request: toResponsesRequest,
  answer: toCompletion,
  stream: createResponsesStream,
}

const isSystem = ({ role }: Json) => role === 'system' || role === 'developer'
export const usualInstructions = 'You are a helpful assistant.'

function toResponsesRequest(body: Json): Json {
  const messages = asArray(body.messages).map(asObject)
  const system = messages
    .filter(isSystem)
    .map(({ content }) => textOf(content))
    .join('\n\n')
  const tools = asArray(body.tools)
    .map(asObject)
    .filter(({ type }) => type === 'function')
  return compact({
    model: body.model,
    instructions: system === '' ? usualInstructions : system,
    input: messages.filter((message) => !isSystem(message)).flatMap(toItems),
    tools: tools.length > 0 ? tools.map((tool) => toTool(asObject(tool.function))) : undefined,
    tool_choice: tools.length > 0 ? toToolChoice(body.tool_choice) : undefined,
    parallel_tool_calls: tools.length > 0 ? (body.parallel_tool_calls ?? undefined) : undefined,
    reasoning:
      asText(body.reasoning_effort) === undefined ? undefined : { effort: body.reasoning_effort, summary: 'auto' },
    text: toFormat(asObject(body.response_format)),
    store: false,
    stream: true,
  })
}

function toTool({ name, description, parameters, strict }: Json): Json {
  const given = parameters ?? { type: 'object', properties: {} }
  return { type: 'function', ...compact({ name, description, parameters: given, strict: strict ?? false }) }
}

function toToolChoice(choice: unknown): unknown {
  const name = asText(asObject(asObject(choice).function).name)
  return name === undefined ? asText(choice) : { type: 'function', name }
}

function toFormat({ type, json_schema }: Json): Json | undefined {
  if (type === 'json_object') return { format: { type } }
  if (type !== 'json_schema') return undefined
  const { name, schema, strict, description } = asObject(json_schema)
  return { format: { type, ...compact({ name, schema, strict: strict ?? undefined, description }) } }
}

function toItems(message: Json): Json[] {
  if (message.role === 'tool' || message.role === 'function') {
    return [{ type: 'function_call_output', call_id: message.tool_call_id, output: textOf(message.content) }]
  }
  if (message.role !== 'assistant') return [{ type: 'message', role: 'user', content: toParts(message.content) }]
  const text = textOf(message.content)
  const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }
  return [...(text === '' ? [] : [said]), ...asArray(message.tool_calls).map((call) => toCall(asObject(call)))]
}

function toCall({ id, function: called }: Json): Json {
  const { name, arguments: given } = asObject(called)
  return { type: 'function_call', call_id: id, name, arguments: asText(given) ?? '{}' }
}

function toParts(content: unknown): Json[] {
  if (typeof content === 'string') return [{ type: 'input_text', text: content }]
  return asArray(content).flatMap((part): Json[] => {
    const { type, text, image_url, file } = asObject(part)
    if (type === 'image_url') {
      const { url, detail } = asObject(image_url)
      return [compact({ type: 'input_image', image_url: asText(image_url) ?? url, detail })]
    }
    if (type === 'file') return [{ type: 'input_file', ...asObject(file) }]
    return typeof text === 'string' ? [{ type: 'input_text', text }] : []
  })
}
