import type { Upstream } from '../resolve.ts'
import { asArray, asObject, asText, type Json } from '../wire/json.ts'
import type { Endpoint } from './endpoint.ts'

/** Tools that whoever asks runs; any other is the provider's own, with a fee or with input that nobody here can count. */
const callersTools: Readonly<Record<Endpoint, RegExp>> = {
  chat: /^(function|custom)$/,
  responses: /^(function|custom|computer|computer_use_preview|local_shell|apply_patch|namespace)$/,
  messages: /^(custom|(bash|text_editor|computer|memory)_\d+)$/,
  embeddings: /^$/,
}

/** Members that turn on a tool of the provider without being one. */
const switches = ['web_search_options', 'search_parameters', 'plugins', 'mcp_servers', 'container']

/** The tools of a request that the provider would run itself. */
export function findServerTools(endpoint: Endpoint, body: Json): string[] {
  const tools = asArray(body.tools).flatMap((tool) => {
    const type = asText(asObject(tool).type) ?? (endpoint === 'messages' ? 'custom' : '')
    return callersTools[endpoint].test(type) ? [] : [type]
  })
  return [...tools, ...switches.filter((name) => body[name] !== undefined && body[name] !== null)]
}

/** Where the protocols differ only functions pass, so a tool of the provider's own never reaches it. */
export function passesServerTools(endpoint: string, { protocol, hasResponses, isResponsesOnly }: Upstream): boolean {
  if (endpoint === 'messages') return protocol === 'anthropic'
  if (protocol !== 'openai') return false
  return endpoint === 'responses' ? hasResponses : !isResponsesOnly
}
