import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { TokenHasher } from '../kernel/crypto/index.ts'
import { isOnPreviewHost } from '../kernel/http/index.ts'

/** The cookie a browser shows when it opens a preview. */
export const previewCookie = '__preview_session'

const prefix = 'svcp.'
const nonceBytes = 12
const tagBytes = 16

export type PreviewUse = 'cookie' | 'ticket'

/**
 * A bearer token in a form that a browser may keep for previews: sealed, dated, and good for its one use. What it
 * opens is decided by the token inside, so revoking that ends the cookie as well.
 */
export interface PreviewCredentials {
  seal(token: string, use: PreviewUse, expiresAtMs: number): string
  /** The token inside, or undefined when the value is not ours, is for another use, or is out of date. */
  open(value: string, use: PreviewUse): string | undefined
}

export function createPreviewCredentials(hasher: TokenHasher, nowMs: () => number): PreviewCredentials {
  const key = Buffer.from(hasher.hashToken('preview credentials v1'), 'base64url')
  return {
    seal(token, use, expiresAtMs) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
      const text = JSON.stringify({ token, use, exp: expiresAtMs })
      const box = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return prefix + box.toString('base64url')
    },
    open(value, use) {
      const sealed = readBox(key, value)
      return sealed && sealed.use === use && sealed.exp > nowMs() ? sealed.token : undefined
    },
  }
}

interface Sealed {
  readonly token: string
  readonly use: string
  readonly exp: number
}

/** Whether a value claims to be sealed here. */
export const isSealed = (value: string) => value.startsWith(prefix)

function readBox(key: Buffer, value: string): Sealed | undefined {
  if (!value.startsWith(prefix)) return undefined
  const box = Buffer.from(value.slice(prefix.length), 'base64url')
  if (box.length <= nonceBytes + tagBytes) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, nonceBytes), { authTagLength: tagBytes })
  decipher.setAuthTag(box.subarray(box.length - tagBytes))
  try {
    const text = decipher.update(box.subarray(nonceBytes, box.length - tagBytes), undefined, 'utf8')
    // Only this module seals with this key, so what opens has its shape.
    return JSON.parse(text + decipher.final('utf8')) as Sealed
  } catch {
    // Not sealed by this instance: the same as no credential.
    return undefined
  }
}

/**
 * A token or ticket in the address, else the cookie, which counts for pages of this very host alone. On the platform's own host a header comes before the cookie; on a
 * preview's host the header is the preview's own and says nothing to us.
 */
export function readPreviewCredential(
  incoming: IncomingMessage,
  credentials: PreviewCredentials,
  { ignoresAddress = false }: { readonly ignoresAddress?: boolean } = {},
): string | undefined {
  const given = ignoresAddress ? undefined : readQueryToken(incoming.url ?? '')
  if (given !== undefined) return given.startsWith(prefix) ? credentials.open(given, 'ticket') : given
  if (incoming.headers.authorization !== undefined && !isOnPreviewHost(incoming)) return undefined
  if (isOfAnotherPage(incoming)) return undefined
  const cookie = readCookie(incoming.headers.cookie, previewCookie)
  return cookie === undefined ? undefined : credentials.open(cookie, 'cookie')
}

/**
 * Whether a browser says that a script, a form or a WebSocket of another host asks. Previews may lie below the same
 * domain as the platform and as each other: there a browser sends the cookie along, whatever page asked for it.
 */
function isOfAnotherPage({ headers }: IncomingMessage): boolean {
  const { origin, host } = headers
  if (origin === undefined || headers['sec-fetch-site'] === 'same-origin') return false
  return !URL.canParse(origin) || new URL(origin).host !== host?.toLowerCase()
}

export function readQueryToken(url: string): string | undefined {
  const start = url.indexOf('?')
  if (start === -1) return undefined
  return new URLSearchParams(url.slice(start + 1)).get('token') ?? undefined
}

export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const [key = '', ...value] = pair.split('=')
    if (key.trim() === name) return value.join('=').trim()
  }
  return undefined
}
