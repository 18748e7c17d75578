import { isSensitiveKey } from '../log/index.ts'

/** Names, without case and punctuation, of what people or programs wrote, said, sent or got back. */
const contentKeys = new Set([
  'args',
  'argument',
  'arguments',
  'argumentspreview',
  'attachment',
  'attachments',
  'body',
  'rawbody',
  'requestbody',
  'responsebody',
  'cause',
  'completion',
  'content',
  'contents',
  'cookies',
  'data',
  'diff',
  'env',
  'environment',
  'error',
  'errors',
  'errormessage',
  'errordescription',
  'exception',
  'stack',
  'stacktrace',
  'form',
  'formdata',
  'header',
  'headers',
  'requestheaders',
  'responseheaders',
  'html',
  'input',
  'inputs',
  'instructions',
  'markdown',
  'message',
  'messages',
  'output',
  'outputs',
  'params',
  'parameters',
  'patch',
  'payload',
  'prompt',
  'prompts',
  'systemprompt',
  'userprompt',
  'query',
  'querystring',
  'raw',
  'reply',
  'request',
  'response',
  'result',
  'results',
  'snippet',
  'stderr',
  'stdin',
  'stdout',
  'text',
  'transcript',
  'value',
  'values',
  'variables',
])

/** True when whatever stands under this name is content or a credential, however harmless it looks. */
export function isUnstorableKey(key: string): boolean {
  const plain = key.toLowerCase().replace(/[^a-z0-9]/g, '')
  // An agent's session is named by an id here; what a sign-in session is presented by has the shape of a credential.
  return contentKeys.has(plain) || (plain !== 'sessionid' && isSensitiveKey(key))
}

/** `output_tokens: 12` is a count, not a credential. */
export function isCount(key: string, value: unknown): boolean {
  return typeof value === 'number' && /tokens$/i.test(key)
}
