import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/**
 * A migration that has landed is never edited: databases made with it would be refused. New ones are added to
 * `SHA256SUMS` by `npm run generate`; a line there never changes.
 */

const folder = new URL('../../../../migrations/', import.meta.url)

test('every migration has the bytes it landed with', () => {
  const landed = readFileSync(new URL('SHA256SUMS', folder), 'utf8').trim().split('\n')
  const present = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(new URL(name, folder)))
          .digest('hex')}  ${name}`,
    )
  expect(present).toEqual(landed)
})
