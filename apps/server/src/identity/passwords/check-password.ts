import { problem } from '../../kernel/http/index.ts'
import { commonPasswords } from './common-passwords.ts'

/** Throws 422 for a password that is guessed first: on lists of common ones, one character repeated, or the address. */
export function requireStrongPassword(password: string, email: string): void {
  const plain = password.toLowerCase()
  const name = email.split('@')[0] ?? ''
  if (plain === email || plain === name)
    throw problem('weak_password', { say: 'The password must not be the address.' })
  if (new Set(plain).size < 3) throw problem('weak_password', { say: 'The password repeats too few characters.' })
  if (commonPasswords.has(plain) || commonPasswords.has(withoutEnding(plain))) throw problem('weak_password')
}

/** Digits and marks at the end are the first thing a guesser tries. */
function withoutEnding(password: string): string {
  return password.replace(/[\d!?.#*$@_-]{1,4}$/, '')
}
