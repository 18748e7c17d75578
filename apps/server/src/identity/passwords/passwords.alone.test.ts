import { expect, test, vi } from 'vitest'
import { createPasswords } from './hash-password.ts'

/** The real library; how many run at once is watched. */
const load = vi.hoisted(() => ({ running: 0, most: 0 }))
vi.mock('@node-rs/argon2', async (importOriginal) => {
  const real = await importOriginal<typeof import('@node-rs/argon2')>()
  const watched: typeof real.hash = async (...args) => {
    load.running += 1
    load.most = Math.max(load.most, load.running)
    return real.hash(...args).finally(() => {
      load.running -= 1
    })
  }
  return { ...real, hash: watched }
})

test('a hash is argon2id with 64 MiB and 3 passes, and fits its password alone', async () => {
  const { hashPassword, matchesPassword } = createPasswords()
  const stored = await hashPassword('seven green kettles')
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=1\$/)
  expect(await matchesPassword('seven green kettles', stored)).toBe(true)
  expect(await matchesPassword('seven green kettle', stored)).toBe(false)
  expect(await matchesPassword('seven green kettles', null)).toBe(false)
  expect(await matchesPassword('a hash that no password is compared with in earnest', undefined)).toBe(false)
})

test('one password typed with composed and with separate accents is one password', async () => {
  const { hashPassword, matchesPassword } = createPasswords()
  expect(await matchesPassword('cafe\u0301 nine', await hashPassword('caf\u00e9 nine'))).toBe(true)
})

test('two run at once, a few wait, and past that the answer is 503 with Retry-After', async () => {
  const { hashPassword } = createPasswords({ maxWaiting: 4 })
  load.most = 0
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => hashPassword('seven green kettles')))
  const refused = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason)
  expect(load.most).toBe(2)
  expect(refused).toHaveLength(4)
  expect(refused[0]).toMatchObject({ code: 'unavailable', status: 503, headers: { 'retry-after': '10' } })
}, 120_000)
