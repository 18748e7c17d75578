import { createGoogleStream, toCompletion } from './google-answer.ts'
import { asArray, asCount, asObject, asText, compact, type Json, tryParse } from './json.ts'
import { textOf } from './text-of.ts'
import type { Translation } from './translation.ts'

/** A client that speaks OpenAI's chat, an upstream that speaks Google's generateContent. */
export function chatToGoogle(upstreamModel: string): Translation {
  return {
    request: (body) => toContentRequest(body, upstreamModel),
    answer: (body) => toCompletion(body, upstreamModel),
    stream: () => createGoogleStream(upstreamModel),
  }
}

function toContentRequest(body: Json, model: string): Json {
  const messages = asArray(body.messages).map(asObject)
  const isSystem = ({ role }: Json) => role === 'system' || role === 'developer'
  const system = messages
    .filter(isSystem)
    .map(({ content }) => textOf(content))
    .join('\n\n')
  const names = toolNames(messages)
  const needsSignature = /gemini-[3-9]/.test(model)
  const turns = messages.filter((message) => !isSystem(message)).map((one) => toTurn(one, names, needsSignature))
  const declarations = asArray(body.tools).map((tool) => toDeclaration(asObject(asObject(tool).function)))
  return compact({
    contents: joinTurns(turns),
    systemInstruction: system === '' ? undefined : { parts: [{ text: system }] },
    tools: declarations.length > 0 ? [{ functionDeclarations: declarations }] : undefined,
    toolConfig: declarations.length > 0 ? toToolConfig(body.tool_choice) : undefined,
    generationConfig: toGenerationConfig(body, model),
  })
}

/** A result names its call by id, and the upstream wants the tool's name. */
function toolNames(messages: readonly Json[]): ReadonlyMap<unknown, unknown> {
  const calls = messages.flatMap(({ tool_calls }) => asArray(tool_calls).map(asObject))
  return new Map(calls.map(({ id, function: called }) => [id, asObject(called).name]))
}

interface Turn {
  readonly role: 'user' | 'model'
  readonly parts: readonly Json[]
}

function toTurn(message: Json, names: ReadonlyMap<unknown, unknown>, needsSignature: boolean): Turn {
  if (message.role === 'tool' || message.role === 'function') {
    const name = names.get(message.tool_call_id) ?? message.name ?? 'tool'
    return { role: 'user', parts: [{ functionResponse: { name, response: toResult(textOf(message.content)) } }] }
  }
  const parts = toParts(message.content)
  if (message.role !== 'assistant') return { role: 'user', parts }
  const calls = asArray(message.tool_calls).map((call, at) => toCall(asObject(call), needsSignature && at === 0))
  return { role: 'model', parts: [...parts, ...calls] }
}

/** The upstream wants a document; what is none becomes one. */
function toResult(text: string): Json {
  const parsed = tryParse(text)
  return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? asObject(parsed) : { result: text }
}

/** What stands for the signature of a call that came without: the upstream's own word for a history from elsewhere. */
const unsignedCall = 'skip_thought_signature_validator'

function toCall({ function: called, extra_content }: Json, needsSignature: boolean): Json {
  const { name, arguments: given } = asObject(called)
  const signature = asText(asObject(asObject(extra_content).google).thought_signature)
  return compact({
    functionCall: { name, args: asObject(tryParse(asText(given) ?? '{}')) },
    thoughtSignature: signature ?? (needsSignature ? unsignedCall : undefined),
  })
}

function toParts(content: unknown): Json[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }]
  return asArray(content).flatMap((part): Json[] => {
    const { type, text, image_url } = asObject(part)
    if (type === 'image_url') return [toPicture(asText(asObject(image_url).url) ?? asText(image_url) ?? '')]
    return typeof text === 'string' && text !== '' ? [{ text }] : []
  })
}

function toPicture(url: string): Json {
  const inline = /^data:([^;,]+);base64,/.exec(url)
  if (inline) return { inlineData: { mimeType: inline[1], data: url.slice(inline[0].length) } }
  const type = /\.(png|webp|gif|heic)(\?|$)/i.exec(url)?.[1]?.toLowerCase() ?? 'jpeg'
  return { fileData: { mimeType: `image/${type}`, fileUri: url } }
}

/** Results of calls made together belong into one turn; an empty turn is refused. */
function joinTurns(turns: readonly Turn[]): Turn[] {
  const joined: Turn[] = []
  for (const turn of turns) {
    if (turn.parts.length === 0) continue
    const last = joined.at(-1)
    if (last?.role !== turn.role) joined.push(turn)
    else joined[joined.length - 1] = { role: last.role, parts: [...last.parts, ...turn.parts] }
  }
  return joined
}

function toDeclaration({ name, description, parameters }: Json): Json {
  return compact({ name, description, parametersJsonSchema: parameters })
}

function toToolConfig(choice: unknown): Json | undefined {
  const name = asText(asObject(asObject(choice).function).name)
  const config = (mode: string, more: Json = {}) => ({ functionCallingConfig: { mode, ...more } })
  if (name !== undefined) return config('ANY', { allowedFunctionNames: [name] })
  if (choice === 'none') return config('NONE')
  return choice === 'required' ? config('ANY') : undefined
}

function toGenerationConfig(body: Json, model: string): Json | undefined {
  const format = asObject(body.response_format)
  const isJson = format.type === 'json_object' || format.type === 'json_schema'
  const config = compact({
    maxOutputTokens: asCount(body.max_completion_tokens) || asCount(body.max_tokens) || undefined,
    temperature: body.temperature ?? undefined,
    topP: body.top_p ?? undefined,
    stopSequences: body.stop === undefined || body.stop === null ? undefined : [body.stop].flat(),
    seed: body.seed ?? undefined,
    presencePenalty: body.presence_penalty ?? undefined,
    frequencyPenalty: body.frequency_penalty ?? undefined,
    responseMimeType: isJson ? 'application/json' : undefined,
    responseJsonSchema: asObject(format.json_schema).schema,
    thinkingConfig: toThinking(asText(body.reasoning_effort), model),
  })
  return Object.keys(config).length > 0 ? config : undefined
}

const thinkingTokens: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 512,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
}

/** Newer models take a word, older ones a number of tokens. */
function toThinking(effort: string | undefined, model: string): Json | undefined {
  if (effort === undefined) return undefined
  if (!/gemini-2\.5/.test(model))
    return { thinkingLevel: effort === 'none' ? 'minimal' : effort, includeThoughts: true }
  return { thinkingBudget: thinkingTokens[effort] ?? -1, includeThoughts: effort !== 'none' }
}
