export interface Statement {
  readonly text: string
  /** Where the statement begins in its file, from 1. */
  readonly line: number
}

/** What a semicolon may hide in: quotes, quoted names, dollar quotes, comments. Comments nest in PostgreSQL. */
const opaque = /'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$[A-Za-z_]*\$)[\s\S]*?\1|--[^\n]*|\/\*[\s\S]*?\*\//y

/** Splits a file into its statements, so that a failure can name the one that failed. Leading comments are dropped. */
export function splitStatements(source: string): Statement[] {
  const statements: Statement[] = []
  let start = 0
  let at = 0
  while (at < source.length) {
    opaque.lastIndex = at
    const skipped = opaque.exec(source)
    if (skipped !== null) {
      at += skipped[0].length
      continue
    }
    if (source[at] === ';') {
      add(statements, source, start, at)
      start = at + 1
    }
    at++
  }
  add(statements, source, start, source.length)
  return statements
}

function add(statements: Statement[], source: string, start: number, end: number): void {
  const leading = /^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)*/.exec(source.slice(start, end))?.[0].length ?? 0
  const text = source.slice(start + leading, end).trim()
  if (text === '') return
  statements.push({ text, line: source.slice(0, start + leading).split('\n').length })
}
