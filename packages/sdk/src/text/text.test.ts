import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cutViewText, takeStart } from './cut-text.ts'
import { formatDuration } from './format-duration.ts'
import { getDirectory, getFilename, getFileWithDir, relativizePath, stripTrailingSlashes } from './split-path.ts'
import { stripAnsi } from './strip-ansi.ts'

test.each([
  [999, ''],
  [1000, '1s'],
  [4300, '4s'],
  [59_999, '59s'],
  [60_000, '1m'],
  [61_500, '1m 1s'],
  [3_600_000, '60m'],
  [Number.NaN, ''],
  [Number.POSITIVE_INFINITY, ''],
  [-5000, ''],
])('formatDuration(%s) is "%s"', (durationMs, text) => {
  expect(formatDuration(durationMs)).toBe(text)
})

describe('paths', () => {
  test.each([
    ['/a/b.txt', 'b.txt'],
    ['b.txt', 'b.txt'],
    ['a/', 'a/'],
    [undefined, undefined],
  ])('file name of %s is %s', (path, name) => {
    expect(getFilename(path)).toBe(name)
  })
  test.each([
    ['/a/b.txt', '/a'],
    ['/a', '/'],
    ['a.txt', undefined],
    [undefined, undefined],
  ])('directory of %s is %s', (path, directory) => {
    expect(getDirectory(path)).toBe(directory)
  })
  test.each([
    ['/w/src/a.ts', 'a.ts /src'],
    ['/a.ts', 'a.ts'],
    ['a.ts', 'a.ts'],
    [undefined, undefined],
  ])('file with folder of %s is %s', (path, text) => {
    expect(getFileWithDir(path)).toBe(text)
  })
  test.each([
    ['/workspace/a/b', '/workspace', 'a/b'],
    ['/workspace/a/b', '/workspace/', 'a/b'],
    ['/etc/x', '/workspace', '/etc/x'],
    ['/workspace2/x', '/workspace', '/workspace2/x'],
    ['/workspace', '/workspace', ''],
    ['/a/b', undefined, '/a/b'],
    ['/a/b', '', '/a/b'],
  ])('%s seen from %s is %s', (path, projectDir, expected) => {
    expect(relativizePath(path, projectDir)).toBe(expected)
  })
  test('every slash at the end goes, those inside stay', () => {
    expect(stripTrailingSlashes('http://h/v1///')).toBe('http://h/v1')
    expect(stripTrailingSlashes('///')).toBe('')
    expect(stripTrailingSlashes('a')).toBe('a')
  })
})

describe('stripAnsi', () => {
  test.each([
    ['\u001b[31mred\u001b[0m!', 'red!'],
    ['a\u001b]0;title\u0007b', 'ab'],
    ['a\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\b', 'alinkb'],
    ['\u001b(Bplain\u001b)0', 'plain'],
    ['\u001b[?25l\u001b[2K\u001b[1;31;48;5;9mx', 'x'],
    ['\u001b[38:2::1:2:3 qx', 'x'],
    ['plain', 'plain'],
    ['', ''],
    [undefined, ''],
    [null, ''],
    ['unfinished \u001b[31', 'unfinished \u001b[31'],
  ])('%j -> %j', (text, expected) => {
    expect(stripAnsi(text)).toBe(expected)
  })
  test('a title of 512 characters is removed, a longer one is not', () => {
    expect(stripAnsi(`\u001b]${'a'.repeat(512)}\u0007b`)).toBe('b')
    expect(stripAnsi(`\u001b]${'a'.repeat(513)}\u0007b`)).toContain('a')
  })
  test('text without escapes is untouched and what is left is part of the input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const stripped = stripAnsi(text)
        expect(stripped.length).toBeLessThanOrEqual(text.length)
        if (!text.includes('\u001b')) expect(stripped).toBe(text)
      }),
    )
  })
  test.each([
    ['openers', '\u001b['],
    ['titles', '\u001b]a'],
    ['digits', `\u001b[${'1;'.repeat(50)}`],
    ['charsets', '\u001b('],
  ])('a bomb of %s is read in one pass', (_name, piece) => {
    const bomb = piece.repeat(1_000_000 / piece.length)
    expect(stripAnsi(bomb).length).toBeLessThanOrEqual(bomb.length)
  })
})

test('a cut never leaves half a character', () => {
  expect(takeStart('a😀b', 2)).toBe('a')
  expect(takeStart('a😀b', 3)).toBe('a😀')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 3990, maxLength: 4100 }), (text) => {
      const cut = cutViewText(text)
      expect(cut.length).toBeLessThanOrEqual(4000)
      expect(cut).not.toMatch(/\p{Surrogate}/u)
    }),
    { numRuns: 20 },
  )
})
