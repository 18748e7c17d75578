import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSha256 } from './sha256.ts'

test('the digest is that of Node’s own implementation, however the input is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 6 }), (pieces) => {
      const own = createSha256()
      const nodes = createHash('sha256')
      for (const piece of pieces) {
        own.update(piece)
        nodes.update(piece)
      }
      return own.digest() === nodes.digest('hex')
    }),
  )
})

test('a long input is hashed right', () => {
  const bytes = new Uint8Array(1_000_003).map((_, at) => at * 7)
  const own = createSha256()
  own.update(bytes)
  expect(own.digest()).toBe(createHash('sha256').update(bytes).digest('hex'))
})
