import { expect, test } from 'vitest'
import { findLineEnd, toPlainLines, withLineEnd } from './line-ends.ts'

test.each(['', 'a', 'a\nb\n', 'a\r\nb\r\n'])('%j comes back from the editor as it went in', (text) => {
  expect(withLineEnd(toPlainLines(text), findLineEnd(text))).toBe(text)
})

test('a file with several kinds of line ends is told apart', () => {
  expect(findLineEnd('a\r\nb\n')).toBe('mixed')
  expect(findLineEnd('a\rb')).toBe('mixed')
})
