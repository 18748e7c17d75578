import { expect, test } from 'vitest'
import { conflicts } from './conflicts.ts'
import { failures } from './failures.ts'
import { problems } from './index.ts'
import { limits } from './limits.ts'
import { malformed } from './malformed.ts'
import { refused } from './refused.ts'

test('every code has one row, in the part of its status', () => {
  const parts = [
    [malformed, /^400$/],
    [refused, /^40[1-8]$/],
    [conflicts, /^4(?:09|10)$/],
    [limits, /^4(?:1[1-9]|2\d|3\d)$/],
    [failures, /^5\d\d$/],
  ] as const
  const codes = parts.flatMap(([part]) => Object.keys(part))
  expect(codes.toSorted()).toEqual(Object.keys(problems).toSorted())
  for (const [part, status] of parts) {
    for (const [code, row] of Object.entries(part)) expect(String(row.status), code).toMatch(status)
  }
})
