import { describe, expect, test } from 'vitest'
import { makeTitle } from './make-title.ts'
import { createMessageIds, isUsableNow } from './message-id.ts'

describe('message ids', () => {
  const nowMs = Date.parse('2026-11-15T09:00:00Z')
  const mintMessageId = createMessageIds()

  test('sort in the order they are made, also within one millisecond', () => {
    const ids = Array.from({ length: 500 }, (_, index) => mintMessageId(nowMs + Math.floor(index / 100)))
    expect([...ids].sort()).toEqual(ids)
    for (const id of ids) expect(id).toMatch(/^msg_[0-9a-f]{12}[A-Za-z0-9]{14}$/)
  })

  test('one older than the newest of its conversation would be answered by nobody', () => {
    const old = mintMessageId(nowMs + 10_000)
    const newest = mintMessageId(nowMs + 20_000)
    expect(isUsableNow(old, newest, nowMs + 30_000)).toBe(false)
    expect(isUsableNow(mintMessageId(nowMs + 25_000), newest, nowMs + 30_000)).toBe(true)
  })

  test('one from the future would be answered again and again', () => {
    expect(isUsableNow(mintMessageId(nowMs + 3_600_000), undefined, nowMs + 30_000)).toBe(false)
  })

  test('has the time in the place where the runtime looks for it', () => {
    const stamp = Number.parseInt(mintMessageId(nowMs + 4_000_000).slice(4, 16), 16)
    const expected = Number(BigInt.asUintN(48, BigInt(nowMs + 4_000_000) * 4096n))
    expect(stamp - expected).toBeGreaterThan(0)
    expect(stamp - expected).toBeLessThan(4096)
  })
})

describe('a name from the first prompt', () => {
  test.each([
    ['Fix the login page', 'Fix the login page'],
    ['\n\n## Add a dark mode\nplease', 'Add a dark mode'],
    ['   - * > do this', 'do this'],
    ['...\n---\n', undefined],
    ['', undefined],
    ['Überprüfe die Größe', 'Überprüfe die Größe'],
  ])('%j becomes %j', (text, title) => expect(makeTitle(text)).toBe(title))

  test('a long line is cut at a word', () => {
    const title = makeTitle('Please look at every single file of this repository and tell me which of them are unused')
    expect(title).toBe('Please look at every single file of this repository and…')
  })
})
