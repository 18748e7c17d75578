import { expect, test } from 'vitest'
import { cameUpPrivate } from './share-session.ts'

const owned = { ownerType: 'user', ownerId: 'ann', origin: 'user' } as const

test('a session that was started while it was being shared begins anew, without what is its owner’s alone', () => {
  const parked = { ...owned, visibility: 'private', status: 'stopped' } as const
  expect(cameUpPrivate(parked, { ...parked, visibility: 'project', status: 'provisioning' })).toBe(true)
  expect(cameUpPrivate(parked, { ...parked, visibility: 'restricted', status: 'running' })).toBe(true)
  expect(cameUpPrivate(parked, { ...parked, visibility: 'project' })).toBe(false)
  expect(cameUpPrivate(parked, { ...parked, status: 'running' })).toBe(false)
  const shared = { ...parked, visibility: 'project' } as const
  expect(cameUpPrivate(shared, { ...shared, visibility: 'restricted', status: 'running' })).toBe(false)
})
