import { asObject, asText, type Json } from '../wire/json.ts'
import type { Endpoint } from './endpoint.ts'

/** How long a prompt can be at the most, told by what it consists of. */
export interface Measured {
  readonly hasImages: boolean
  /** Those whose cost has a known bound. */
  readonly pictures: number
  /** Of the request, for the pictures alone. */
  readonly pictureBytes: number
  /** Something in it is longer to the model than to us: a document, a sound, what only the provider fetches or keeps. */
  readonly isLengthUnknown: boolean
}

/** Of these every token is at least a byte of the request. */
const textTypes = new Set([
  'text',
  'input_text',
  'output_text',
  'summary_text',
  'reasoning_text',
  'refusal',
  'thinking',
  'redacted_thinking',
  'reasoning',
  'message',
  'tool_use',
  'server_tool_use',
  'function_call',
  'custom_tool_call',
  'local_shell_call',
  'local_shell_call_output',
  'shell_call',
  'shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
  'computer_call',
  'web_search_call',
  'search_result',
  'web_search_result',
])
const resultTypes = /^(tool_result|function_call_output|custom_tool_call_output|\w+_tool_result)$/
const pictureTypes = new Set(['image', 'image_url', 'input_image', 'computer_screenshot'])
const inlinePicture = /^data:image\/[a-z0-9.+-]+[;,]/i

/** What nobody here knows the kind of counts as what nobody knows the length of. */
export function measureInput(endpoint: Endpoint, body: Json): Measured {
  const found = { hasImages: false, pictures: 0, pictureBytes: 0, isLengthUnknown: false }
  if (endpoint === 'embeddings') return found

  function lookAtAll(parts: unknown): void {
    if (Array.isArray(parts)) for (const part of parts) lookAt(part)
  }

  function lookAt(given: unknown): void {
    if (typeof given === 'string') return
    const part = asObject(given)
    const type = asText(part.type)
    if (type === undefined || textTypes.has(type)) lookAtAll(part.content)
    else if (pictureTypes.has(type)) lookAtPicture(part)
    else if (resultTypes.test(type)) lookAtAll(part.content ?? part.output)
    else if (type === 'computer_call_output') lookAt(part.output)
    else if (type === 'document' && isPlainText(part)) lookAtAll(asObject(part.source).content)
    else found.isLengthUnknown = true
    // What a model said aloud is named by its id, beside the text.
    if (part.role === 'assistant' && part.audio !== undefined && part.audio !== null) found.isLengthUnknown = true
  }

  /** Providers scale a picture down to what they count at the most; of one they fetch nobody knows that it is one. */
  function lookAtPicture(part: Json): void {
    const bytes = inlineBytes(part)
    found.hasImages = true
    if (bytes === undefined) found.isLengthUnknown = true
    else {
      found.pictures += 1
      found.pictureBytes += bytes
    }
  }

  lookAtAll(body.messages)
  lookAtAll(body.input)
  lookAtAll(body.system)
  return found
}

function inlineBytes({ image_url, source }: Json): number | undefined {
  const { type, media_type, data } = asObject(source)
  if (type === 'base64') return /^image\//.test(asText(media_type) ?? '') ? (asText(data)?.length ?? 0) : undefined
  const url = asText(image_url) ?? asText(asObject(image_url).url) ?? ''
  return inlinePicture.test(url) ? url.length : undefined
}

function isPlainText({ source }: Json): boolean {
  const type = asText(asObject(source).type)
  return type === 'text' || type === 'content'
}
