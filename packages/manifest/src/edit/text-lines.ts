/** Replaces one stretch of text; everything outside it stays as it is. */
export function splice(text: string, start: number, end: number, replacement: string): string {
  return text.slice(0, start) + replacement + text.slice(end)
}

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1
}

/** Offset after the line end of the line that holds `offset`; the end of the text for the last line. */
export function lineEnd(text: string, offset: number): number {
  const end = text.indexOf('\n', offset)
  return end === -1 ? text.length : end + 1
}

export function eolOf(text: string): '\r\n' | '\n' {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

/** Start of the comment lines that stand directly above the line starting at `start`. */
export function commentBlockStart(text: string, start: number): number {
  let top = start
  while (top > 0) {
    const above = lineStart(text, top - 1)
    if (!/^[ \t]*#/.test(text.slice(above, top))) break
    top = above
  }
  return top
}

export function isBlankLine(text: string, start: number): boolean {
  return start < text.length && /^[ \t\r]*$/.test(text.slice(start, lineEnd(text, start)).replace(/\n$/, ''))
}

/** Cuts whole lines out, and one blank line with them where two would be left together. */
export function cutLines(text: string, start: number, end: number): string {
  const above = start === 0 ? -1 : lineStart(text, start - 1)
  const isBlankAbove = above >= 0 && isBlankLine(text, above)
  if (isBlankAbove && end >= text.length) return text.slice(0, above)
  if ((isBlankAbove || start === 0) && isBlankLine(text, end)) return splice(text, start, lineEnd(text, end), '')
  return splice(text, start, end, '')
}

/** Inserts lines at a line start, ending the line before it when the text has no last line end. */
export function insertLines(text: string, at: number, lines: string): string {
  const eol = eolOf(text)
  const body = eol === '\n' ? lines : lines.replace(/\r?\n/g, eol)
  const before = at > 0 && text[at - 1] !== '\n' ? eol : ''
  return splice(text, at, at, before + body)
}

export function indentLines(block: string, indent: number): string {
  const pad = ' '.repeat(indent)
  return block.replace(/^(?=[^\r\n])/gm, pad)
}
