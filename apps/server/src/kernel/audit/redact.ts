import { createHash } from 'node:crypto'
import { redactText } from '../log/index.ts'
import { isCount, isUnstorableKey } from './sensitive-keys.ts'

/**
 * What the audit log may keep of a value; the one definition. Content and credentials become `[REDACTED]`, addresses
 * their origin and a hash, long texts their length and a hash. What comes out is bounded, acyclic and plain JSON.
 */

export type Stored = string | number | boolean | null | Stored[] | { [key: string]: Stored }

export const REDACTED = '[REDACTED]'
const maxTextChars = 512
const maxItems = 100
const maxDepth = 8
const maxBytes = 64 * 1024
const maxKeyChars = 128
/** A value with more parts than this is oversized however it ends; it bounds the work on a wide and deep one. */
const maxParts = 20_000

interface Walk {
  partsLeft: number
}

export function redactValue(value: unknown): Stored {
  const walk: Walk = { partsLeft: maxParts }
  const stored = keep(value, 0, walk)
  const text = JSON.stringify(stored)
  if (walk.partsLeft >= 0 && Buffer.byteLength(text) <= maxBytes) return stored
  return { redacted: true, reason: 'oversized', sha256: sha256(text) }
}

/** Ids, addresses and dotted words, which no credential looks like: most labels are one of these. */
const plainLabel = /^(?:[a-z.]{1,40}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9.]{7,15})$/

/** For columns that hold one text: never content, only names, ids and labels. */
export function redactLabel(text: string): string {
  if (plainLabel.test(text)) return text
  const clean = storable(text)
  if (looksLikeCredential(clean)) return REDACTED
  return clean.length > maxTextChars ? `sha256:${sha256(clean)}` : clean
}

function keep(value: unknown, depth: number, walk: Walk): Stored {
  walk.partsLeft -= 1
  if (walk.partsLeft < 0) return REDACTED
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return keepText(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value === 'boolean') return value
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object') return null
  if (depth >= maxDepth) return { redacted: true, reason: 'depth' }
  return keepObject(value, depth, walk)
}

function keepObject(value: object, depth: number, walk: Walk): Stored {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
  if (value instanceof URL) return keepText(value.href)
  // An error's message is somebody's raw text.
  if (value instanceof Error) return { name: redactLabel(value.name) }
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return { redacted: true, length: value.byteLength }
  if (value instanceof Map) return keepEntries(value.entries(), depth, walk)
  if (Array.isArray(value) || value instanceof Set) return keepItems(value, depth, walk)
  return keepEntries(Object.entries(value), depth, walk)
}

function keepItems(items: Iterable<unknown>, depth: number, walk: Walk): Stored[] {
  const kept: Stored[] = []
  for (const item of items) {
    if (kept.length >= maxItems) break
    kept.push(keep(item, depth + 1, walk))
  }
  return kept
}

function keepEntries(entries: Iterable<[unknown, unknown]>, depth: number, walk: Walk): Stored {
  const kept: { [key: string]: Stored } = Object.create(null)
  let count = 0
  for (const [name, value] of entries) {
    count += 1
    if (count > maxItems) break
    const key = redactLabel(String(name)).slice(0, maxKeyChars)
    kept[key] = keepUnder(String(name), value, depth, walk)
  }
  return kept
}

function keepUnder(name: string, value: unknown, depth: number, walk: Walk): Stored {
  if (value === null || value === undefined || typeof value === 'boolean') return value ?? null
  if (isUnstorableKey(name) && !isCount(name, value)) return REDACTED
  return keep(value, depth + 1, walk)
}

function keepText(given: string): Stored {
  const text = storable(given)
  const url = parseUrl(text)
  if (url) return { origin: originOf(url), sha256: sha256(withoutUserInfo(url)) }
  if (looksLikeCredential(text)) return REDACTED
  if (text.length > maxTextChars) return { redacted: true, length: text.length, sha256: sha256(text) }
  return text.replace(/\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s"'<>]+/gi, (found) => {
    const inner = parseUrl(found)
    return inner ? originOf(inner) : REDACTED
  })
}

/** PostgreSQL stores neither NUL nor half a surrogate pair. */
function storable(text: string): string {
  return text.replace(/\0|\p{Surrogate}/gu, '\uFFFD')
}

const wholeUrl = /^[a-z][a-z0-9+.-]{1,20}:\/\/\S+$/i

function parseUrl(text: string): URL | undefined {
  return wholeUrl.test(text) && URL.canParse(text) ? new URL(text) : undefined
}

function originOf(url: URL): string {
  return url.origin === 'null' ? `${url.protocol}//${url.host}` : url.origin
}

function withoutUserInfo(url: URL): string {
  const plain = new URL(url)
  plain.username = ''
  plain.password = ''
  return plain.href
}

/** Long runs of mixed letters and digits: nobody writes such names. Ids and hashes in hexadecimal are let through. */
const opaqueRun = /[A-Za-z0-9+/_=-]{32,}/g

function looksLikeCredential(text: string): boolean {
  // Far past what is kept anything may follow: a long text is replaced as a whole.
  const read = text.slice(0, 16_384)
  if (redactText(read, read.length) !== read) return true
  return (read.match(opaqueRun) ?? []).some(
    (run) => /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run) && !/^[0-9a-fA-F-]+$/.test(run),
  )
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
