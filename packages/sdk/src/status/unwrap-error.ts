import { type Parsed, parseEmbeddedJson, parseJson } from '../wire/parse-json.ts'
import { firstText, toRecord } from '../wire/read-value.ts'

const UNKNOWN_ERROR = 'An error occurred'

/**
 * One readable sentence out of whatever an error arrived as: text, JSON in text, an object, nothing.
 *
 * @example
 * unwrapError('Error: 402 Error: {"error":true,"message":"Insufficient credits"}') // 'Insufficient credits'
 * unwrapError({ name: 'APIError', data: { message: 'rate limited' } }) // 'rate limited'
 */
export function unwrapError(raw: unknown): string {
  if (typeof raw === 'string') return unwrapText(raw)
  return readErrorText(raw) ?? (!raw || typeof raw === 'object' ? UNKNOWN_ERROR : String(raw))
}

/** The text an error object carries, wherever it keeps it. */
export function readErrorText(value: unknown): string | undefined {
  const fields = toRecord(value)
  return firstText(fields.message, fields.error, toRecord(fields.data).message, toRecord(fields.error).message)
}

/** JSON in a text, JSON inside a JSON string, or the JSON object embedded in a longer text. */
export function parseErrorText(text: string): Parsed | undefined {
  const parsed = parseJson(text)
  const inner = typeof parsed?.value === 'string' ? parseJson(parsed.value) : parsed
  return inner ?? parseEmbeddedJson(text)
}

function unwrapText(raw: string): string {
  const text = raw.replace(/^Error: /, '')
  return firstText(readErrorText(parseErrorText(text)?.value), text) ?? UNKNOWN_ERROR
}
