const ESCAPE = '\u001b'
const BELL = 0x07
const ESC = 0x1b
const OSC_PAYLOAD_LIMIT_CHARS = 512

/**
 * Removes terminal control sequences: CSI (colours, cursor), OSC (titles and links, payload up to 512 characters) and
 * charset selection. One pass over the text, whatever it holds. Falsy input gives `''`.
 *
 * @example
 * stripAnsi('\u001b[31mred\u001b[0m!') // 'red!'
 */
export function stripAnsi(text: string | null | undefined): string {
  if (typeof text !== 'string' || text === '') return ''
  let sequence = text.indexOf(ESCAPE)
  if (sequence < 0) return text
  const kept: string[] = []
  let from = 0
  while (sequence >= 0) {
    const end = findSequenceEnd(text, sequence)
    if (end > sequence) {
      kept.push(text.slice(from, sequence))
      from = end
    }
    sequence = text.indexOf(ESCAPE, Math.max(end, sequence + 1))
  }
  kept.push(text.slice(from))
  return kept.join('')
}

/** Index right after the sequence that starts at `start`, or `start` when no known sequence starts there. */
function findSequenceEnd(text: string, start: number): number {
  const kind = text[start + 1]
  if (kind === '[') return findCsiEnd(text, start)
  if (kind === ']') return findOscEnd(text, start)
  const selectsCharset = kind !== undefined && '()*+-./'.includes(kind) && isAlphanumeric(text.charCodeAt(start + 2))
  return selectsCharset ? start + 3 : start
}

function findCsiEnd(text: string, start: number): number {
  let at = start + 2
  while (isBetween(text.charCodeAt(at), 0x30, 0x3f)) at++
  while (isBetween(text.charCodeAt(at), 0x20, 0x2f)) at++
  return isBetween(text.charCodeAt(at), 0x40, 0x7e) ? at + 1 : start
}

function findOscEnd(text: string, start: number): number {
  const last = Math.min(text.length, start + 2 + OSC_PAYLOAD_LIMIT_CHARS + 1)
  for (let at = start + 2; at < last; at++) {
    const code = text.charCodeAt(at)
    if (code === BELL) return at + 1
    if (code === ESC) return text[at + 1] === '\\' ? at + 2 : start
  }
  return start
}

function isAlphanumeric(code: number): boolean {
  return isBetween(code, 0x30, 0x39) || isBetween(code, 0x41, 0x5a) || isBetween(code, 0x61, 0x7a)
}

/** False for NaN, the code past the end of a text. */
function isBetween(code: number, low: number, high: number): boolean {
  return code >= low && code <= high
}
