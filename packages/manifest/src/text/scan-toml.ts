import type { Path, Segment } from '../issue.ts'
import { MAX_DEPTH } from './limits.ts'

/** One header or `key = value` of a TOML document, with the offsets of its parts. */
export interface TomlStatement {
  kind: 'table' | 'tables' | 'pair'
  /** Absolute, with list indexes: `['triggers', 0, 'cron']`. */
  path: Path
  start: number
  keyStart: number
  valueStart: number
  valueEnd: number
  /** Index of the header this pair stands under; -1 at the top. */
  header: number
}

export interface TomlScan {
  statements: TomlStatement[]
  /** Values inside inline tables and arrays, each with its place. */
  inner: TomlValuePlace[]
}

export interface TomlValuePlace {
  path: Path
  keyStart: number
  valueStart: number
  valueEnd: number
}

/**
 * Finds where everything stands in TOML text. It reads what the parser reads but judges nothing: malformed parts are
 * skipped to the next line, so it ends for any input and never throws.
 */
export function scanToml(text: string): TomlScan {
  return new TomlScanner(text).scan()
}

class TomlScanner {
  readonly #text: string
  readonly #statements: TomlStatement[] = []
  readonly #inner: TomlValuePlace[] = []
  /** Number of `[[...]]` headers seen for a list, by its encoded path. */
  readonly #listLengths = new Map<string, number>()
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  scan(): TomlScan {
    let table: Path = []
    let header = -1
    while (this.#skipBlank()) {
      const start = this.#at
      if (this.#text[start] === '[') {
        table = this.#readHeader()
        header = this.#statements.length - 1
      } else {
        this.#readPair(table, header)
      }
      this.#skipLine()
      if (this.#at <= start) this.#at = start + 1
    }
    return { statements: this.#statements, inner: this.#inner }
  }

  #readHeader(): Path {
    const start = this.#at
    const isList = this.#text.startsWith('[[', start)
    this.#at += isList ? 2 : 1
    const keys = this.#readKeys(']')
    const path = this.#resolve(keys, isList)
    this.#statements.push({
      kind: isList ? 'tables' : 'table',
      path,
      start,
      keyStart: start,
      valueStart: start,
      valueEnd: this.#at,
      header: -1,
    })
    return path
  }

  #readPair(table: Path, header: number): void {
    const start = this.#at
    const keys = this.#readKeys('=')
    if (this.#text[this.#at] !== '=') return
    this.#at += 1
    this.#skipSpaces()
    const path = [...table, ...keys]
    const valueStart = this.#at
    this.#skipValue(path, 0)
    this.#statements.push({ kind: 'pair', path, start, keyStart: start, valueStart, valueEnd: this.#at, header })
  }

  /** A header's keys with the index of the current entry after each list they pass through. */
  #resolve(keys: readonly string[], isList: boolean): Path {
    const path: Segment[] = []
    for (const [index, key] of keys.entries()) {
      path.push(key)
      const id = JSON.stringify(path)
      const length = this.#listLengths.get(id) ?? 0
      if (isList && index === keys.length - 1) {
        this.#listLengths.set(id, length + 1)
        path.push(length)
      } else if (length > 0) {
        path.push(length - 1)
      }
    }
    return path
  }

  /** Dotted keys up to the end character, which is left unread. */
  #readKeys(end: string): string[] {
    const keys: string[] = []
    while (this.#at < this.#text.length && keys.length <= MAX_DEPTH) {
      this.#skipSpaces()
      keys.push(this.#readKey())
      this.#skipSpaces()
      if (this.#text[this.#at] !== '.') break
      this.#at += 1
    }
    while (this.#at < this.#text.length && this.#text[this.#at] !== end && this.#text[this.#at] !== '\n') this.#at += 1
    return keys
  }

  #readKey(): string {
    const quote = this.#text[this.#at]
    if (quote === '"' || quote === "'") {
      const start = this.#at
      this.#skipString()
      const raw = this.#text.slice(start + 1, this.#at - 1)
      return quote === '"' ? unescapeKey(raw) : raw
    }
    const start = this.#at
    while (this.#at < this.#text.length && /[A-Za-z0-9_-]/.test(this.#text[this.#at] ?? '')) this.#at += 1
    return this.#text.slice(start, this.#at)
  }

  #skipValue(path: Path, depth: number): void {
    const first = this.#text[this.#at]
    if (first === '"' || first === "'") this.#skipString()
    else if (first === '[' && depth <= MAX_DEPTH) this.#skipArray(path, depth)
    else if (first === '{' && depth <= MAX_DEPTH) this.#skipInlineTable(path, depth)
    else this.#skipScalar()
  }

  #skipScalar(): void {
    const start = this.#at
    while (this.#at < this.#text.length && !/[,\]}#\r\n]/.test(this.#text[this.#at] ?? '')) this.#at += 1
    while (this.#at > start && /\s/.test(this.#text[this.#at - 1] ?? '')) this.#at -= 1
  }

  #skipArray(path: Path, depth: number): void {
    this.#at += 1
    for (let index = 0; this.#skipBlank(); index += 1) {
      if (this.#text[this.#at] === ']') break
      const start = this.#at
      const itemPath = [...path, index]
      this.#skipValue(itemPath, depth + 1)
      this.#inner.push({ path: itemPath, keyStart: start, valueStart: start, valueEnd: this.#at })
      this.#skipBlank()
      if (this.#text[this.#at] === ',') this.#at += 1
      else if (this.#text[this.#at] !== ']') break
    }
    if (this.#text[this.#at] === ']') this.#at += 1
  }

  #skipInlineTable(path: Path, depth: number): void {
    this.#at += 1
    while (this.#skipBlank()) {
      if (this.#text[this.#at] === '}') break
      const keyStart = this.#at
      const keys = this.#readKeys('=')
      if (this.#text[this.#at] !== '=') break
      this.#at += 1
      this.#skipBlank()
      const valueStart = this.#at
      const valuePath = [...path, ...keys]
      this.#skipValue(valuePath, depth + 1)
      this.#inner.push({ path: valuePath, keyStart, valueStart, valueEnd: this.#at })
      this.#skipBlank()
      if (this.#text[this.#at] === ',') this.#at += 1
      else if (this.#text[this.#at] !== '}') break
    }
    if (this.#text[this.#at] === '}') this.#at += 1
  }

  #skipString(): void {
    const quote = this.#text[this.#at] ?? ''
    const triple = quote.repeat(3)
    const isLong = this.#text.startsWith(triple, this.#at)
    this.#at += isLong ? 3 : 1
    while (this.#at < this.#text.length) {
      if (quote === '"' && this.#text[this.#at] === '\\') this.#at += 2
      else if (isLong && this.#text.startsWith(triple, this.#at)) {
        this.#at += 3
        // Up to two quotes may stand directly before the closing three.
        while (this.#text[this.#at] === quote) this.#at += 1
        return
      } else if (!isLong && (this.#text[this.#at] === quote || this.#text[this.#at] === '\n')) {
        if (this.#text[this.#at] === quote) this.#at += 1
        return
      } else this.#at += 1
    }
    this.#at = this.#text.length
  }

  #skipSpaces(): void {
    while (this.#text[this.#at] === ' ' || this.#text[this.#at] === '\t') this.#at += 1
  }

  #skipLine(): void {
    const end = this.#text.indexOf('\n', this.#at)
    this.#at = end === -1 ? this.#text.length : end + 1
  }

  /** Moves over white space, line ends and comments; false at the end of the text. */
  #skipBlank(): boolean {
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at]
      if (char === '#') this.#skipLine()
      else if (char === ' ' || char === '\t' || char === '\r' || char === '\n' || char === '\uFEFF') this.#at += 1
      else return true
    }
    return false
  }
}

function unescapeKey(raw: string): string {
  if (!raw.includes('\\')) return raw
  try {
    const parsed: unknown = JSON.parse(`"${raw}"`)
    return typeof parsed === 'string' ? parsed : raw
  } catch {
    // TOML has a few escapes JSON lacks; such a key keeps its raw text and is located by its parent.
    return raw
  }
}
