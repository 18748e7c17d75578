import { randomBytes } from 'node:crypto'

export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Bytes at and above the largest multiple of 62 are thrown away, so every character is equally likely. */
const UNBIASED_BELOW = 248

export type RandomSource = (sizeBytes: number) => Uint8Array

export function randomBase62(length: number, random: RandomSource = randomBytes): string {
  let text = ''
  while (text.length < length) {
    for (const byte of random(length - text.length + 8)) {
      if (byte >= UNBIASED_BELOW) continue
      text += BASE62.charAt(byte % 62)
      if (text.length === length) break
    }
  }
  return text
}

export function encodeBase62(value: number, length: number): string {
  let text = ''
  for (let rest = value; text.length < length; rest = Math.floor(rest / 62)) text = BASE62.charAt(rest % 62) + text
  return text
}
