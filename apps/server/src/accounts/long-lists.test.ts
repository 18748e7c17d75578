import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPerson, type Person } from '../../../../tests/support/people.ts'
import { startTestPlatform } from '../../../../tests/support/platform.ts'
import { createCaller } from './testing/client.ts'

let platform: Awaited<ReturnType<typeof startTestPlatform>>
let call: ReturnType<typeof createCaller>
let owner: Person
beforeAll(async () => {
  platform = await startTestPlatform()
  call = createCaller(platform.url)
  owner = await createPerson(platform)
  await call(owner, 'GET /v1/accounts')
})
afterAll(() => platform.stop())

const many = 1005

/** Every page until there is no next one, with how many rows each had. */
async function readAll(route: string, idOf: (row: Record<string, string>) => string | undefined) {
  const ids: (string | undefined)[] = []
  const sizes: number[] = []
  for (let cursor = ''; ; ) {
    const separator = route.includes('?') ? '&' : '?'
    const page = await call(owner, cursor === '' ? route : `${route}${separator}cursor=${encodeURIComponent(cursor)}`)
    expect(page.status).toBe(200)
    ids.push(...page.body.map(idOf))
    sizes.push(page.body.length)
    cursor = page.headers.get('x-next-cursor') ?? ''
    if (cursor === '') return { sizes, distinct: new Set(ids).size }
  }
}

test('members come in pages of a thousand, each once', async () => {
  await platform.database.sql`
    with people as (
      insert into svc.users (user_id, email)
      select gen_random_uuid(), 'crowd-' || n || '@example.com' from generate_series(1, ${many}) n returning user_id)
    insert into svc.assignments (assignment_id, account_id, principal_type, principal_id, role_id, scope_type)
    select gen_random_uuid(), ${owner.userId}, 'user', user_id, 'builtin:member', 'account' from people`
  const read = await readAll(`GET /v1/accounts/${owner.userId}/members`, (row) => row.user_id)
  expect(read).toEqual({ sizes: [1000, 6], distinct: many + 1 })
})

test('open invitations come in pages of a thousand, each once', async () => {
  await platform.database.sql`
    insert into svc.account_invites (invite_id, account_id, email, initial_role, expires_at)
    select gen_random_uuid(), ${owner.userId}, 'guest-' || n || '@example.com', 'member', now() + interval '1 day'
    from generate_series(1, ${many}) n`
  const read = await readAll(`GET /v1/accounts/${owner.userId}/invites`, (row) => row.invite_id)
  expect(read).toEqual({ sizes: [1000, 5], distinct: many })
})

test('keys come in pages of a thousand, each once', async () => {
  await platform.database.sql`
    insert into svc.tokens (token_id, kind, account_id, user_id, name, public_key, secret_hash)
    select gen_random_uuid(), 'pat', ${owner.userId}, ${owner.userId}, 'k', 'pk_' || n, 'hash ' || n
    from generate_series(1, ${many}) n`
  const read = await readAll('GET /v1/accounts/tokens?mine=', (row) => row.token_id)
  expect(read).toEqual({ sizes: [1000, 5], distinct: many })
})

test('accounts come in pages of a thousand, each once, and a made-up cursor is refused', async () => {
  await platform.database.sql`
    with made as (
      insert into svc.accounts (account_id, name) select gen_random_uuid(), 'A' from generate_series(1, ${many})
      returning account_id)
    insert into svc.assignments (assignment_id, account_id, principal_type, principal_id, role_id, scope_type)
    select gen_random_uuid(), account_id, 'user', ${owner.userId}, 'builtin:member', 'account' from made`
  // Written past the platform, which hears of it by an event.
  await expect.poll(async () => (await call(owner, 'GET /v1/accounts')).body.length).toBe(1000)
  const read = await readAll('GET /v1/accounts', (row) => row.account_id)
  expect(read).toEqual({ sizes: [1000, 6], distinct: many + 1 })
  for (const route of ['GET /v1/accounts', `GET /v1/accounts/${owner.userId}/invites`, 'GET /v1/accounts/tokens']) {
    const odd = await call(owner, `${route}?cursor=made-up`)
    expect([route, odd.status, odd.body.code]).toEqual([route, 400, 'validation_failed'])
  }
})
