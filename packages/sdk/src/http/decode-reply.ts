import { ApiError } from '../errors/api-error.ts'
import { parseJson } from '../wire/parse-json.ts'

/** JSON parsed, text as a string, anything else as a Blob; undefined when there is no body. */
export async function decodeReply(response: Response): Promise<unknown> {
  if (response.status === 204 || response.status === 205) return undefined
  const type = response.headers.get('content-type') ?? ''
  if (/^text\//i.test(type)) return response.text()
  if (!/^application\/([\w.-]+\+)?json\b/i.test(type)) return response.blob()
  const text = await response.text()
  const parsed = text === '' ? { value: undefined } : parseJson(text)
  if (parsed) return parsed.value
  throw new ApiError('The service answered with JSON that cannot be read; it may have been cut off.', {
    status: response.status,
    code: 'INVALID_JSON',
    url: response.url,
    response,
  })
}
