import { asArray, asObject, asText } from './json.ts'

/** The text of a message's content, whether it is a string or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return asArray(content)
    .map((part) => asText(asObject(part).text) ?? '')
    .join('')
}
