import { randomInt } from 'node:crypto'

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'

/** Unique for ever: 93 bits of chance. Fits a host name, a folder and a container's name alike. */
export function newExternalId(): string {
  let id = 'sb'
  for (let index = 0; index < 18; index += 1) id += alphabet[randomInt(alphabet.length)]
  return id
}

export function isExternalId(value: string): boolean {
  return /^sb[0-9a-z]{18}$/.test(value)
}
