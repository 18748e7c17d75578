import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countNames } from './count-names.ts'

test('every name between quotes is counted, as searching for it would find it', () => {
  const pieces = [
    '"',
    '"model"',
    'model',
    '\\"',
    '"n"',
    '"1h"',
    '"file_id"',
    ':',
    ' ',
    '"max_completion_tokens"',
    'ü',
    '"stream',
  ]
  const found = (text: string, name: string) => text.split(`"${name}"`).length - 1
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 30 }), (parts) => {
      const text = parts.join('')
      const counts = countNames(text)
      for (const name of ['model', 'n', '1h', 'file_id', 'max_completion_tokens', 'stream']) {
        // Two in a row share no quote when they are searched for one after the other; here each pair of quotes counts.
        expect(counts.has(name)).toBe(text.includes(`"${name}"`))
        expect(counts.get(name) ?? 0).toBeGreaterThanOrEqual(found(text, name))
      }
    }),
  )
})
