import { toText } from '../wire/read-value.ts'
import { LOCAL_URL_IN_TEXT, type LocalhostUrl, parseLocalhostUrl, unwrapUrl } from './parse-localhost-url.ts'
import { INFRASTRUCTURE_PORTS } from './preview-options.ts'

/**
 * Fenced code, then inline code: a row of backticks to the next row of the same length on its line, then a row that
 * nothing closes within 4000 characters. A fence that is still open, as in a streamed answer, reaches to the end.
 */
const CODE =
  /^ {0,3}(`{3,}|~{3,})(?:[\s\S]*?\n {0,3}\1[`~]*[^\S\n]*$|[\s\S]*)|(`+)(?!`)[^\n]{0,4000}?[^`\n]\2(?!`)|`+/gm

/** A localhost address in a text. `endIndex` is exclusive. */
export interface DetectedLocalhostUrl extends LocalhostUrl {
  readonly startIndex: number
  readonly endIndex: number
  readonly inCodeBlock: boolean
}

/**
 * Every distinct localhost address with a port in a text, in order, without the ports of the sandbox's own machinery.
 *
 * @example
 * detectLocalhostUrls('Live at http://localhost:3000/app')
 * // [{ originalUrl: 'http://localhost:3000/app', port: 3000, path: '/app', startIndex: 8, endIndex: 33, inCodeBlock: false }]
 */
export function detectLocalhostUrls(text: string | null | undefined): DetectedLocalhostUrl[] {
  const body = toText(text)
  const seen = new Set<string>()
  const detected: DetectedLocalhostUrl[] = []
  const code = body.matchAll(CODE)
  let range = code.next().value
  for (const match of body.matchAll(LOCAL_URL_IN_TEXT)) {
    const written = unwrapUrl(match[0])
    const parsed = parseLocalhostUrl(written)
    if (!parsed || seen.has(parsed.originalUrl) || INFRASTRUCTURE_PORTS.includes(parsed.port)) continue
    seen.add(parsed.originalUrl)
    const startIndex = match.index
    while (range && range.index + range[0].length <= startIndex) range = code.next().value
    const inCodeBlock = !!range && range.index <= startIndex && !!(range[1] ?? range[2])
    detected.push({ ...parsed, startIndex, endIndex: startIndex + written.length, inCodeBlock })
  }
  return detected
}

/**
 * True when a text names a port of the sandbox that can be shown.
 *
 * @example
 * hasLocalhostUrls('open http://localhost:5173') // true
 */
export function hasLocalhostUrls(text: string | null | undefined): boolean {
  return detectLocalhostUrls(text).length > 0
}
