import { randomBytes } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
let last = 0n

/** Ids that sort by when they were made: a prefix, 12 hexadecimal digits of time, 14 random characters. */
export function makeId(prefix: 'ses' | 'msg' | 'prt' | 'evt' | 'que'): string {
  const now = BigInt(Date.now()) * 4096n
  last = now > last ? now : last + 1n
  const time = (last & 0xffffffffffffn).toString(16).padStart(12, '0')
  const random = Array.from(randomBytes(14), (byte) => alphabet[byte % alphabet.length]).join('')
  return `${prefix}_${time}${random}`
}
