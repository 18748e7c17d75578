import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../../kernel/ids/index.ts'
import { type ChatRequest, textOf } from './chat-request.ts'
import type { Turn } from './plan-turn.ts'

export const scriptedModelId = 'svc/scripted'

interface Usage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
}

/** The whole answer as one document. */
export async function writeCompletion(turn: Turn, request: ChatRequest, signal: AbortSignal): Promise<string> {
  const waitMs = turn.pieces.reduce((sum, piece) => sum + (piece.kind === 'pause' ? piece.waitMs : 0), 0)
  if (waitMs > 0) await sleep(waitMs, undefined, { signal })
  const reasoning = joined(turn, 'reasoning')
  const message = {
    role: 'assistant',
    content: joined(turn, 'text') || null,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(turn.call ? { tool_calls: [toolCall(turn.call)] } : {}),
  }
  const choice = { index: 0, message, finish_reason: finishReason(turn), logprobs: null }
  return JSON.stringify({
    ...head('chat.completion'),
    choices: [choice],
    usage: countTokens(turn, request),
  })
}

/** The answer as server-sent events, word by word, as a model would send it. Stops when the reader leaves. */
export async function* streamCompletion(
  turn: Turn,
  request: ChatRequest,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  const shared = head('chat.completion.chunk')
  const chunk = (delta: object, finish: string | null = null) =>
    frame({ ...shared, choices: [{ index: 0, delta, finish_reason: finish }] })

  yield chunk({ role: 'assistant', content: '' })
  for (const piece of turn.pieces) {
    if (piece.kind === 'pause') await sleep(piece.waitMs, undefined, { signal })
    else
      for (const words of splitWords(piece.text)) {
        yield chunk(piece.kind === 'text' ? { content: words } : { reasoning_content: words })
      }
  }
  if (turn.call) {
    const whole = toolCall(turn.call)
    const { name, arguments: text } = whole.function
    yield chunk({ tool_calls: [{ index: 0, ...whole, function: { name, arguments: '' } }] })
    for (let at = 0; at < text.length; at += 64) {
      yield chunk({ tool_calls: [{ index: 0, function: { arguments: text.slice(at, at + 64) } }] })
    }
  }
  yield chunk({}, finishReason(turn))
  if (request.stream_options?.include_usage) {
    yield frame({ ...shared, choices: [], usage: countTokens(turn, request) })
  }
  yield Buffer.from('data: [DONE]\n\n')
}

function head(object: string) {
  const created = Math.floor(Date.now() / 1_000)
  return { id: `chatcmpl-${newId()}`, object, created, model: scriptedModelId, system_fingerprint: 'scripted' }
}

function frame(value: unknown): Uint8Array {
  return Buffer.from(`data: ${JSON.stringify(value)}\n\n`)
}

function toolCall({ id, name, input }: NonNullable<Turn['call']>) {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } }
}

function finishReason({ call }: Turn): string {
  return call ? 'tool_calls' : 'stop'
}

function joined({ pieces }: Turn, kind: 'text' | 'reasoning'): string {
  return pieces.map((piece) => (piece.kind === kind ? piece.text : '')).join('')
}

function splitWords(text: string): string[] {
  return text.match(/\S+\s*|\s+/g) ?? []
}

/** Four characters a token: near enough for a model that costs nothing. */
function countTokens(turn: Turn, request: ChatRequest): Usage {
  const tokens = (characters: number) => Math.ceil(characters / 4)
  const asked = request.messages.reduce((sum, message) => sum + textOf(message).length, 0)
  const prompt = tokens(asked + JSON.stringify(request.tools ?? []).length)
  const said = joined(turn, 'text').length + joined(turn, 'reasoning').length
  const completion = Math.max(1, tokens(said + JSON.stringify(turn.call?.input ?? {}).length))
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
}
