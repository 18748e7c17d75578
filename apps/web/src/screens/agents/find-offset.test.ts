import { expect, test } from 'vitest'
import { findOffset } from './find-offset.ts'

test('a line and a column lead to the character that an issue is about', () => {
  const text = 'svc_version: 1\nagents:\n  - name: x\n'
  expect(text.slice(findOffset(text, 2, 1))).toBe('agents:\n  - name: x\n')
  expect(text.slice(findOffset(text, 3, 5), findOffset(text, 3, 9))).toBe('name')
})

test('a place past the end stays in the text', () => {
  expect(findOffset('ab\ncd', 1, 99)).toBe(2)
  expect(findOffset('ab\ncd', 99, 99)).toBe(5)
})
