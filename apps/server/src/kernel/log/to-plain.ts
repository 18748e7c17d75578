import { isSensitiveKey, REDACTED, redactText } from './redact-text.ts'

export type Plain = string | number | boolean | null | Plain[] | { [key: string]: Plain }

const MAX_DEPTH = 6
const MAX_ITEMS = 50
const MAX_KEYS = 64
const MAX_KEY_CHARS = 128
const MAX_TEXT_CHARS = 4_096
const MAX_STACK_CHARS = 6_000
/** All texts of one line together. */
const LINE_BUDGET_CHARS = 24_000

interface Walk {
  budgetChars: number
  path: Set<object>
}

/** A bounded, acyclic, redacted copy of any value, ready for JSON. Never throws, whatever the value's getters do. */
export function toPlain(value: unknown): Plain {
  return walkValue(value, 0, { budgetChars: LINE_BUDGET_CHARS, path: new Set() })
}

export function toPlainFields(fields: object): { [key: string]: Plain } {
  const plain = toPlain(fields)
  return typeof plain === 'object' && plain !== null && !Array.isArray(plain) ? plain : { value: plain }
}

function walkValue(value: unknown, depth: number, walk: Walk): Plain {
  if (walk.budgetChars <= 0) return '[cut]'
  switch (typeof value) {
    case 'string':
      return takeText(value, MAX_TEXT_CHARS, walk)
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    case 'boolean':
      return value
    case 'bigint':
      return value.toString()
    case 'undefined':
      return null
    case 'symbol':
      return takeText(String(value), MAX_TEXT_CHARS, walk)
    case 'object':
      return value === null ? null : walkGuarded(value, depth, walk)
    default:
      return '[function]'
  }
}

function walkGuarded(value: object, depth: number, walk: Walk): Plain {
  if (walk.path.has(value)) return '[circular]'
  if (depth >= MAX_DEPTH) return '[deep]'
  walk.path.add(value)
  try {
    return walkObject(value, depth, walk)
  } catch {
    // A getter or proxy that throws must not take the log line, or the request, with it.
    return '[unreadable]'
  } finally {
    walk.path.delete(value)
  }
}

function walkObject(value: object, depth: number, walk: Walk): Plain {
  if (value instanceof Error) return walkError(value, depth, walk)
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (value instanceof URL || value instanceof URLSearchParams || value instanceof RegExp) {
    return takeText(String(value), MAX_TEXT_CHARS, walk)
  }
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`
  if (Array.isArray(value)) return walkItems(value, value.length, depth, walk)
  if (value instanceof Map || isHeaders(value)) return walkEntries(value.entries(), depth, walk)
  if (value instanceof Set) return walkItems(value, value.size, depth, walk)
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet) return '[object]'
  return walkEntries(readEntries(value), depth, walk)
}

function walkError(error: Error, depth: number, walk: Walk): Plain {
  const values = readQueryValues(error)
  const hide = (text: string) => (values ? text.replace(values, '') : text)
  const plain = walkEntries(readErrorEntries(error, values !== undefined), depth, walk)
  const rest = typeof plain === 'object' && plain !== null && !Array.isArray(plain) ? plain : {}
  const result: { [key: string]: Plain } = {
    name: takeText(String(error.name), MAX_KEY_CHARS, walk),
    message: takeText(hide(String(error.message)), MAX_TEXT_CHARS, walk),
    ...rest,
  }
  if (values !== undefined) result.params = REDACTED
  if (typeof error.stack === 'string') result.stack = takeText(hide(error.stack), MAX_STACK_CHARS, walk)
  if (error.cause !== undefined) result.cause = walkValue(error.cause, depth + 1, walk)
  if (error instanceof AggregateError) result.errors = walkValue(error.errors, depth + 1, walk)
  return result
}

/**
 * The database library writes the values of a failed query into its message: what people wrote, and what we keep of
 * their secrets. The query alone tells what failed.
 */
function readQueryValues(error: Error): string | undefined {
  const { query, params } = error as { query?: unknown; params?: unknown }
  if (typeof query !== 'string' || !Array.isArray(params)) return undefined
  return error.message.slice(error.message.indexOf(query) + query.length)
}

/** PostgreSQL quotes the row, or the key, that it refused. */
const rowValues = /(?<=^Failing row contains |^Key \(.{0,999}\)=)\(.*\)/s
/** And the document that it could not read. */
const documentText = /(?<=^JSON data, line \d+: ).*/ms

/**
 * Values are left out before anything is cut: what is cut no longer shows where they end, and long ones would take the
 * room of the reason.
 */
function* readErrorEntries(error: Error, hasValues: boolean): Generator<[string, unknown]> {
  for (const [key, value] of readEntries(error)) {
    if (hasValues && key === 'params') continue
    if (key === 'detail' && typeof value === 'string') yield [key, value.replace(rowValues, REDACTED)]
    else if (key === 'where' && typeof value === 'string') yield [key, value.replace(documentText, REDACTED)]
    else yield [key, value]
  }
}

function walkItems(items: Iterable<unknown>, size: number, depth: number, walk: Walk): Plain {
  const plain: Plain[] = []
  for (const item of items) {
    if (plain.length >= MAX_ITEMS) {
      plain.push(`[${size - MAX_ITEMS} more]`)
      break
    }
    plain.push(hideAfterName(plain.at(-1), item) ? REDACTED : walkValue(item, depth + 1, walk))
  }
  return plain
}

/** Raw header lists alternate names and values: a text after a sensitive name is its value. */
function hideAfterName(previous: Plain | undefined, item: unknown): boolean {
  return typeof previous === 'string' && typeof item === 'string' && previous.length < 40 && isSensitiveKey(previous)
}

function walkEntries(entries: Iterable<[unknown, unknown]>, depth: number, walk: Walk): Plain {
  const plain: { [key: string]: Plain } = Object.create(null)
  let count = 0
  for (const [key, value] of entries) {
    count += 1
    if (count > MAX_KEYS) {
      plain['…'] = '[more keys]'
      break
    }
    const name = takeText(typeof key === 'string' ? key : String(key), MAX_KEY_CHARS, walk)
    plain[name] = hidesValue(String(key), value) ? REDACTED : walkValue(value, depth + 1, walk)
  }
  return plain
}

function hidesValue(key: string, value: unknown): boolean {
  if (value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean') return false
  return isSensitiveKey(key)
}

function* readEntries(value: object): Generator<[string, unknown]> {
  for (const key of Object.keys(value)) yield [key, readProperty(value, key)]
}

function readProperty(value: object, key: string): unknown {
  try {
    return Reflect.get(value, key)
  } catch {
    // The other properties of the object are still worth logging.
    return '[unreadable]'
  }
}

function isHeaders(value: object): value is Headers {
  return typeof Headers !== 'undefined' && value instanceof Headers
}

function takeText(text: string, maxChars: number, walk: Walk): string {
  const clean = redactText(text, Math.min(maxChars, Math.max(walk.budgetChars, 64)))
  walk.budgetChars -= clean.length
  return clean
}
