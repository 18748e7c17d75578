import { expect, test } from 'vitest'
import { BASE62, checkToken, mintToken, randomBase62, showTokenStart, TOKEN_PREFIXES } from './index.ts'

const LONG = process.env.SVC_TEST_LONG === '1'

test('a minted token of every family passes its check and names its family', () => {
  for (const prefix of TOKEN_PREFIXES) {
    const token = mintToken(prefix)
    expect(token).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{38}$`))
    expect(checkToken(token)).toEqual({ ok: true, prefix })
  }
})

test('no two minted tokens are the same', { timeout: LONG ? 600_000 : 30_000 }, () => {
  const count = LONG ? 1_000_000 : 100_000
  const seen = new Set<string>()
  for (let made = 0; made < count; made++) seen.add(mintToken('svc_pat_').slice(8, 40))
  expect(seen.size).toBe(count)
})

test('every single-character typo is refused, at every position and with every character', () => {
  const alphabet = [...`${BASE62}_-. `, 'é', '\n', '\0']
  for (const prefix of TOKEN_PREFIXES) {
    const token = mintToken(prefix)
    const accepted: string[] = []
    for (let at = 0; at < token.length; at++) {
      for (const typo of alphabet) {
        if (typo === token[at]) continue
        const wrong = token.slice(0, at) + typo + token.slice(at + 1)
        if (checkToken(wrong).ok) accepted.push(wrong)
      }
    }
    expect(accepted).toEqual([])
  }
})

test('a dropped, doubled or swapped character is refused', () => {
  const token = mintToken('svc_oat_')
  for (let at = 0; at < token.length; at++) {
    expect(checkToken(token.slice(0, at) + token.slice(at + 1)).ok).toBe(false)
    expect(checkToken(token.slice(0, at) + token[at] + token.slice(at)).ok).toBe(false)
    if (token[at] === token[at + 1] || at + 1 === token.length) continue
    const swapped = token.slice(0, at) + token[at + 1] + token[at] + token.slice(at + 2)
    expect(checkToken(swapped).ok).toBe(false)
  }
})

test('texts that are no tokens are refused', () => {
  for (const text of ['', 'svc_', 'svc_pat_', 'Bearer x', `svc_zzz_${'a'.repeat(38)}`, `svc_pat_${'é'.repeat(38)}`]) {
    expect(checkToken(text).ok).toBe(false)
  }
})

test('random characters are unbiased: bytes past the last full round are thrown away', () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, value) => value)
  const counts = new Map<string, number>()
  for (const char of randomBase62(248, () => bytes)) counts.set(char, (counts.get(char) ?? 0) + 1)
  expect(counts.size).toBe(62)
  expect(new Set(counts.values())).toEqual(new Set([4]))
})

test('the start of a token shows its family and eight characters', () => {
  const token = mintToken('svc_sa_')
  expect(showTokenStart(token)).toBe(`svc_sa_${token.slice(7, 15)}…`)
})
