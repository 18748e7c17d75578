import { toText } from '../wire/read-value.ts'
import { findCodeRanges } from './find-code-ranges.ts'
import { LOCAL_URL_IN_TEXT, type LocalhostUrl, parseLocalhostUrl, unwrapUrl } from './parse-localhost-url.ts'
import { INFRASTRUCTURE_PORTS } from './preview-options.ts'

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
  let isInCode: ((index: number) => boolean) | undefined
  for (const match of body.matchAll(LOCAL_URL_IN_TEXT)) {
    const written = unwrapUrl(match[0])
    const parsed = parseLocalhostUrl(written)
    if (parsed === null || seen.has(parsed.originalUrl) || INFRASTRUCTURE_PORTS.includes(parsed.port)) continue
    seen.add(parsed.originalUrl)
    isInCode ??= findCodeRanges(body)
    const startIndex = match.index
    detected.push({
      ...parsed,
      startIndex,
      endIndex: startIndex + written.length,
      inCodeBlock: isInCode(startIndex),
    })
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
