import { problem } from '../../kernel/http/index.ts'
import type { ServableModel, Upstream } from '../resolve.ts'
import { chatToAnthropic } from '../wire/chat-to-anthropic.ts'
import { chatToGoogle } from '../wire/chat-to-google.ts'
import { chatToResponses } from '../wire/chat-to-responses.ts'
import { embeddingsToGoogle } from '../wire/embeddings-to-google.ts'
import type { Json } from '../wire/json.ts'
import { messagesToChat } from '../wire/messages-to-chat.ts'
import { responsesToChat } from '../wire/responses-to-chat.ts'
import { chain, type Translation } from '../wire/translation.ts'
import { continuesStored, type Endpoint, type GatewayRequest } from './read-request.ts'

export interface Plan {
  readonly path: string
  /** Undefined where client and upstream speak the same. */
  readonly translation: Translation | undefined
}

const paths = { chat: '/chat/completions', responses: '/responses', embeddings: '/embeddings', messages: '/messages' }

/** How a request in the client's protocol reaches this model. */
export function choosePlan(
  endpoint: Endpoint,
  model: ServableModel,
  request: Pick<GatewayRequest, 'body' | 'isStream'>,
): Plan {
  const { upstream, outputTokens, wireId } = model
  if (continuesStored(endpoint, request.body) && (!upstream.hasResponses || model.billingMode === 'credits')) {
    throw problem('invalid_json', {
      say: `The model “${wireId}” continues no stored response: what others began with the same key must stay theirs.`,
      next: 'Send the whole conversation as `input`.',
    })
  }
  if (model.billingMode === 'credits') requireListedPrice(wireId, request.body)
  if (upstream.isResponsesOnly) return planResponses(endpoint, wireId)
  if (upstream.protocol === 'google') return planGoogle(endpoint, upstream, request)
  if (endpoint === 'embeddings') {
    if (upstream.protocol === 'openai') return { path: paths.embeddings, translation: undefined }
    throw noEmbeddings(wireId)
  }
  if (upstream.protocol === 'anthropic') {
    if (endpoint === 'messages') return { path: paths.messages, translation: undefined }
    return { path: paths.messages, translation: fromChat(endpoint, chatToAnthropic(outputTokens)) }
  }
  if (endpoint === 'messages') return { path: paths.chat, translation: messagesToChat }
  if (endpoint === 'responses' && !upstream.hasResponses) return { path: paths.chat, translation: responsesToChat }
  return { path: paths[endpoint], translation: undefined }
}

function planResponses(endpoint: Endpoint, wireId: string): Plan {
  if (endpoint === 'embeddings') throw noEmbeddings(wireId)
  const translation = endpoint === 'responses' ? undefined : fromChat(endpoint, chatToResponses)
  return { path: paths.responses, translation }
}

function noEmbeddings(wireId: string) {
  return problem('model_unavailable', { say: `The model “${wireId}” makes no embeddings.` })
}

const listedTiers = ['auto', 'default', 'flex', 'standard_only']

/** With the operator's key callers choose nothing that costs more than its price says, or that goes on without them. */
function requireListedPrice(wireId: string, { service_tier, speed, background }: Json): void {
  const isListed = listedTiers.includes(String(service_tier ?? 'auto')) && (speed ?? 'standard') === 'standard'
  if (isListed && (background ?? false) === false) return
  throw problem('invalid_json', {
    say: `The model “${wireId}” has one price: \`service_tier\` may be ${listedTiers.join(', ')}, and \`speed\` and \`background\` are not offered.`,
    next: 'Leave these members out, or connect a provider key of your own.',
  })
}

function planGoogle(
  endpoint: Endpoint,
  { model }: Upstream,
  { body, isStream }: Pick<GatewayRequest, 'body' | 'isStream'>,
): Plan {
  const name = model.replace(/^models\//, '')
  const at = `/models/${encodeURIComponent(name)}`
  if (endpoint === 'embeddings')
    return { path: `${at}:batchEmbedContents`, translation: embeddingsToGoogle(name, body) }
  const path = isStream ? `${at}:streamGenerateContent?alt=sse` : `${at}:generateContent`
  return { path, translation: fromChat(endpoint, chatToGoogle(name)) }
}

/** Every client protocol passes through chat on its way to an upstream with a third one. */
function fromChat(endpoint: Exclude<Endpoint, 'embeddings'>, chat: Translation): Translation {
  if (endpoint === 'chat') return chat
  return chain(endpoint === 'messages' ? messagesToChat : responsesToChat, chat)
}
