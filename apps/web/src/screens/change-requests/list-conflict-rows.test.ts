import { expect, test } from 'vitest'
import { listConflictRows } from './list-conflict-rows.ts'

test('what differs stands side by side with a few lines around it, and the rest is a gap', () => {
  const same = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ type: 'unchanged' as const, text: `${at}` }))
  const rows = listConflictRows([
    ...same(10),
    { type: 'removed', text: 'ours' },
    { type: 'added', text: 'theirs' },
    ...same(10),
  ])
  expect(rows.map(({ left, right }) => [left?.text, right?.text])).toEqual([
    ['…', '…'],
    ['7', '7'],
    ['8', '8'],
    ['9', '9'],
    ['ours', 'theirs'],
    ['0', '0'],
    ['1', '1'],
    ['2', '2'],
    ['…', '…'],
  ])
  expect([rows[4]?.left?.oldLine, rows[4]?.right?.newLine]).toEqual([11, 11])
})
