import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diffTexts } from './diff-texts.ts'

const print = (before: string, after: string) =>
  diffTexts(before, after).map(({ type, text }) => ({ unchanged: ' ', added: '+', removed: '-' })[type] + text)

test('a change in the first line and one in the last leave what is between them alone', () => {
  expect(print('a\nb\nc\nd\n', 'x\nb\nc\nd\ne\n')).toEqual(['-a', '+x', ' b', ' c', ' d', '+e'])
  expect(print('', 'a\n')).toEqual(['+a'])
  expect(print('a\nb\n', 'b\n')).toEqual(['-a', ' b'])
})

test('both texts can be read from what is shown', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 })
    .map((lines) => lines.map((one) => `${one}\n`).join(''))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffTexts(before, after)
      const side = (left: string) =>
        lines
          .filter(({ type }) => type !== left)
          .map((one) => `${one.text}\n`)
          .join('')
      expect([side('added'), side('removed')]).toEqual([before, after])
    }),
  )
})
