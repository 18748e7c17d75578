import { expect, test } from 'vitest'
import { compareEntries } from './compare-entries.ts'
import { readDocument } from './read-document.ts'

async function compare(cost: object) {
  const document = await readDocument({
    maker: { models: { priced: { cost }, other: { cost: { input: 1, output: 1 } } } },
  })
  if (typeof document === 'string') throw new Error(document)
  const { repriced, leftOut } = compareEntries(document, [])
  return { repriced: repriced.map(({ model }) => model), leftOut: leftOut.map(({ entry }) => entry) }
}

test('a price that is nothing for long prompts alone is taken for a mistake, in either spelling', async () => {
  const base = { input: 3, output: 15 }
  const over = (rates: object, size = 200_000) => ({ ...rates, tier: { type: 'context', size } })
  const leftOut = { repriced: ['other'], leftOut: ['maker/priced'] }
  expect(await compare({ ...base, context_over_200k: { input: 0, output: 0 } })).toEqual(leftOut)
  expect(await compare({ ...base, tiers: [over({ input: 6, output: 22 }), over({ input: 0, output: 0 }, 0)] })).toEqual(
    leftOut,
  )
  const taken = { repriced: ['priced', 'other'], leftOut: [] }
  expect(await compare({ ...base, tiers: [over({ input: 6, output: 22 }), over({ output: 30 }, 400_000)] })).toEqual(
    taken,
  )
  expect(await compare({ input: 0, output: 0, context_over_200k: { input: 0, output: 0 } })).toEqual(taken)
})
