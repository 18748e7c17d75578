import { isUtf8 } from 'node:buffer'

/**
 * A path as a string. Names that are no valid UTF-8 take git's own quoted form ("caf\351.txt", quotes included); so do
 * names that look quoted already, which makes the two directions exact inverses of each other.
 */
export function pathFromBytes(bytes: Buffer): string {
  const looksQuoted = bytes.length >= 2 && bytes[0] === 0x22 && bytes[bytes.length - 1] === 0x22
  return looksQuoted || !isUtf8(bytes) ? quoteBytes(bytes) : bytes.toString('utf8')
}

export function pathToBytes(path: string): Buffer {
  return path.length >= 2 && path.startsWith('"') && path.endsWith('"') ? unquote(path) : Buffer.from(path, 'utf8')
}

/** The quoted form for any name: what fast-import reads. */
export function quoteBytes(bytes: Buffer): string {
  let quoted = '"'
  for (const byte of bytes) {
    if (byte === 0x22 || byte === 0x5c) quoted += `\\${String.fromCharCode(byte)}`
    else if (byte < 0x20 || byte >= 0x7f) quoted += `\\${byte.toString(8).padStart(3, '0')}`
    else quoted += String.fromCharCode(byte)
  }
  return `${quoted}"`
}

const named: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 }

function unquote(path: string): Buffer {
  const bytes: Buffer[] = []
  const inner = path.slice(1, -1)
  const token = /\\([0-3][0-7]{2})|\\(.)|([^\\]+)|\\/gsy
  for (const [, octal, escaped, plain] of inner.matchAll(token)) {
    if (octal !== undefined) bytes.push(Buffer.from([Number.parseInt(octal, 8)]))
    else if (escaped !== undefined) bytes.push(escapedByte(escaped))
    else if (plain !== undefined) bytes.push(Buffer.from(plain, 'utf8'))
  }
  return Buffer.concat(bytes)
}

function escapedByte(letter: string): Buffer {
  const code = named[letter]
  return code === undefined ? Buffer.from(letter, 'utf8') : Buffer.from([code])
}
