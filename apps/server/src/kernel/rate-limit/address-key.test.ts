import { expect, test } from 'vitest'
import { addressKey } from './address-key.ts'

test('every address of one IPv6 network counts as one, however it is written', () => {
  const keys = ['2001:db8:1:2::1', '2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2:a:b:c:d%eth0'].map(
    addressKey,
  )
  expect(new Set(keys)).toEqual(new Set(['2001:db8:1:2::/64']))
  expect(addressKey('2001:db8:1:3::1')).toBe('2001:db8:1:3::/64')
})

test('an IPv4 address, and what is none, counts for itself', () => {
  expect(['192.0.2.7', '', 'unknown'].map(addressKey)).toEqual(['192.0.2.7', '', 'unknown'])
})
