import type { Path, Segment, Severity } from '../issue.ts'
import type { ManifestFormat } from '../manifest-file.ts'
import type { PlainMap } from '../plain-data.ts'
import { nearestWord } from './nearest-word.ts'

/** Suggestions cost an edit distance each: after this many in one document the rest go without. */
const SUGGESTIONS_PER_DOCUMENT = 200

export interface Finding {
  path: Path
  message: string
  severity: Severity
  /** Whose position is shown: the path's own, or that of a more telling place. */
  at: Path
  on: 'key' | 'value'
}

interface Where {
  on?: 'key' | 'value'
  at?: readonly Segment[]
}

/** What one validation run knows: the document, the place the walk has reached, and what it has found. */
export class CheckContext {
  readonly root: PlainMap
  readonly format: ManifestFormat
  readonly findings: Finding[] = []
  readonly path: Segment[] = []
  #suggestionsLeft = SUGGESTIONS_PER_DOCUMENT

  constructor(root: PlainMap, format: ManifestFormat) {
    this.root = root
    this.format = format
  }

  /** Reports on the current place, or on the one `below` it. */
  error(message: string, below: Path = [], where: Where = {}): void {
    this.#add('error', message, below, where)
  }

  warn(message: string, below: Path = [], where: Where = {}): void {
    this.#add('warning', message, below, where)
  }

  hasFinding(below: Path, since: number): boolean {
    const depth = this.path.length
    return this.findings
      .slice(since)
      .some(
        ({ path }) =>
          path.length === depth + below.length && below.every((segment, index) => path[depth + index] === segment),
      )
  }

  /** The nearest of the candidates (of the first few hundred, where there are more). */
  suggest(word: string, candidates: Iterable<string>): string | undefined {
    return this.maySuggest() ? nearestWord(word, candidates) : undefined
  }

  /** Spends one suggestion of the document's allowance. */
  maySuggest(): boolean {
    this.#suggestionsLeft -= 1
    return this.#suggestionsLeft >= 0
  }

  #add(severity: Severity, message: string, below: Path, where: Where): void {
    const path = [...this.path, ...below]
    const at = where.at === undefined ? path : [...this.path, ...where.at]
    this.findings.push({ path, message, severity, at, on: where.on ?? 'value' })
  }
}
