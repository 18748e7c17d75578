import { ApiError } from '../errors/api-error.ts'
import { parseJson } from '../wire/parse-json.ts'

/** JSON parsed, text as a string, anything else as a Blob; undefined when there is no body. */
export async function decodeReply(response: Response): Promise<unknown> {
  const type = readType(response)
  if (/^20[45]$/.test(`${response.status}`)) return undefined
  if (/^text\//.test(type)) return response.text()
  if (!/^application\/([\w.-]+\+)?json\b/.test(type)) return response.blob()
  const text = await response.text()
  const parsed = parseJson(text || 'null')
  if (!parsed) throw refuseReply(response, 'INVALID_JSON', 'The answer is not JSON; it may be cut off.')
  return text ? parsed.value : undefined
}

/** Whatever `read` makes of the reply. A page of HTML is never what was asked for: something else answered. */
export async function refusePage<T>(response: Response, read: (response: Response) => Promise<T>): Promise<T> {
  if (!/^text\/html\b/.test(readType(response))) return read(response)
  throw refuseReply(response, 'INVALID_CONTENT_TYPE', 'A web page answered, not the service. Check backendUrl.')
}

const readType = ({ headers }: Response): string => (headers.get('content-type') ?? '').toLowerCase()

const refuseReply = (response: Response, code: string, message: string): ApiError =>
  new ApiError(message, { status: response.status, code, url: response.url, response })
