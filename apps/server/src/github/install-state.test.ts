import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { newId } from '../kernel/ids/index.ts'
import { readState, signState, stateLifeMs } from './install-state.ts'

const hasher = { hashToken: (text: string) => createHmac('sha256', 'pepper').update(text).digest('base64url') }

test('a state is good for an hour, and tells whose installation it is', () => {
  const who = { accountId: newId(), userId: newId() }
  const state = signState(hasher, { ...who, nowMs: 1_000 })
  expect(readState(hasher, state, 1_000 + stateLifeMs - 1)).toMatchObject(who)
  expect(() => readState(hasher, state, 1_000 + stateLifeMs)).toThrow('has expired')
})

test('a state signed with another key is refused, and so is one without a signature', () => {
  const other = { hashToken: (text: string) => createHmac('sha256', 'other').update(text).digest('base64url') }
  const state = signState(other, { accountId: newId(), userId: newId(), nowMs: 0 })
  expect(() => readState(hasher, state, 1)).toThrow('not one that this platform made')
  expect(() => readState(hasher, '', 1)).toThrow('not one that this platform made')
})
