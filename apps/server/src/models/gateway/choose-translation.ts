import { problem } from '../../kernel/http/index.ts'
import type { ServableModel } from '../resolve.ts'
import { chatToAnthropic } from '../wire/chat-to-anthropic.ts'
import { asObject, compact, type Json } from '../wire/json.ts'
import { messagesToChat } from '../wire/messages-to-chat.ts'
import { responsesToChat } from '../wire/responses-to-chat.ts'
import { chain, type Translation } from '../wire/translation.ts'
import type { Endpoint } from './read-request.ts'

export interface Plan {
  readonly path: string
  /** Undefined where client and upstream speak the same. */
  readonly translation: Translation | undefined
}

const paths = { chat: '/chat/completions', responses: '/responses', embeddings: '/embeddings', messages: '/messages' }

/** How a request in the client's protocol reaches this model. */
export function choosePlan(endpoint: Endpoint, { upstream, outputTokens, wireId }: ServableModel): Plan {
  if (endpoint === 'embeddings') {
    if (upstream.protocol === 'openai') return { path: paths.embeddings, translation: undefined }
    throw problem('model_unavailable', { say: `The model “${wireId}” makes no embeddings.` })
  }
  if (upstream.protocol === 'anthropic') {
    if (endpoint === 'messages') return { path: paths.messages, translation: undefined }
    const toAnthropic = chatToAnthropic(outputTokens)
    return {
      path: paths.messages,
      translation: endpoint === 'chat' ? toAnthropic : chain(responsesToChat, toAnthropic),
    }
  }
  if (endpoint === 'messages') return { path: paths.chat, translation: messagesToChat }
  if (endpoint === 'responses' && !upstream.hasResponses) return { path: paths.chat, translation: responsesToChat }
  return { path: paths[endpoint], translation: undefined }
}

/** The request as the upstream gets it: its own name of the model, usage in streams, defaults the caller left out. */
export function writeRequest(
  endpoint: Endpoint,
  body: Json,
  { translation }: Plan,
  model: ServableModel,
  capTokens: number | undefined,
): Json {
  const filled: Json = { ...body, ...defaultsFor(endpoint, body, model, capTokens), model: model.upstream.model }
  const sent = translation ? translation.request(filled) : filled
  const isChat = model.upstream.protocol !== 'anthropic' && endpoint === 'chat'
  if (!isChat || sent.stream !== true) return sent
  return { ...sent, stream_options: { ...asObject(sent.stream_options), include_usage: true } }
}

function defaultsFor(
  endpoint: Endpoint,
  body: Json,
  { generation }: ServableModel,
  capTokens: number | undefined,
): Json {
  if (endpoint === 'embeddings') return {}
  const limit = { chat: 'max_tokens', messages: 'max_tokens', responses: 'max_output_tokens' }[endpoint]
  const hasLimit = [body.max_tokens, body.max_completion_tokens, body.max_output_tokens].some(
    (value) => value !== undefined && value !== null,
  )
  const maxTokens = capTokens ?? generation.maxOutputTokens
  return compact({
    [limit]: hasLimit ? undefined : maxTokens,
    temperature: body.temperature === undefined ? generation.temperature : undefined,
    top_p: body.top_p === undefined ? generation.topP : undefined,
    reasoning_effort:
      endpoint === 'chat' && body.reasoning_effort === undefined ? generation.reasoningEffort : undefined,
  })
}
