/** How the lines of a text end: editors only know `\n`, and a save must not change what nobody touched. */
export type LineEnd = '\n' | '\r\n' | 'mixed'

export function findLineEnd(text: string): LineEnd {
  const all = text.match(/\r\n|\n|\r/g) ?? []
  if (all.every((end) => end === '\n')) return '\n'
  return all.every((end) => end === '\r\n') ? '\r\n' : 'mixed'
}

export function toPlainLines(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

/** A text from the editor with the ends its file had; a file that had several kinds gets one. */
export function withLineEnd(text: string, end: LineEnd): string {
  return end === '\r\n' ? text.replaceAll('\n', '\r\n') : text
}
