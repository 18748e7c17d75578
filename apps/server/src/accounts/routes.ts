import { operations } from '@svc/contract'
import { answer, type Handled, handle, invalid, pageSize, problem } from '../kernel/http/index.ts'
import { describeAccounts, toAccount } from './account-record.ts'
import { brandingRoutes } from './branding/routes.ts'
import { createAccount, updateName } from './change-account.ts'
import { inviteRoutes } from './invites/routes.ts'
import { listOwnMemberships } from './list-accounts.ts'
import { memberRoutes } from './members/routes.ts'
import type { Parts } from './parts.ts'
import { countInAccount, readRoleInAccount } from './store/accounts.ts'
import { tokenRoutes } from './tokens/routes.ts'
import { describeCaller } from './who-am-i.ts'

/** Routes with fixed words come first: `:accountId` would match them too. */
export function accountRoutes(parts: Parts): Handled[] {
  const { accounts } = operations
  const { database, clock } = parts.kernel
  return [
    handle(accounts.me, ({ principal }) => describeCaller(parts, principal)),
    ...tokenRoutes(parts),
    handle(accounts.list, async ({ principal, query: { cursor } }) => {
      const memberships = await listOwnMemberships(parts, principal, principal.actor)
      const start = cursor === undefined ? 0 : memberships.findIndex(({ accountId }) => accountId === cursor) + 1
      if (start === 0 && cursor !== undefined) {
        throw invalid([{ path: 'cursor', message: 'must be the value of an earlier X-Next-Cursor header' }])
      }
      const shown = memberships.slice(start, start + pageSize)
      const next = memberships.length > start + pageSize ? shown.at(-1)?.accountId : undefined
      const records = await describeAccounts(parts, shown)
      return answer(records, next === undefined ? {} : { headers: { 'x-next-cursor': next } })
    }),
    handle(accounts.create, async ({ body, principal }) =>
      toAccount(await createAccount(parts, body.name, principal), 'owner', null),
    ),
    handle(accounts.get, async ({ accountId, principal }) => {
      const role = await readRoleInAccount(database.sql, accountId, principal.id, clock.now())
      const [account] = await describeAccounts(parts, [{ accountId, role: role ?? 'member' }])
      if (!account) throw problem('not_found')
      const { memberCount, projectCount } = await countInAccount(database.sql, accountId, clock.now())
      return {
        account_id: accountId,
        name: account.name,
        member_count: memberCount,
        project_count: projectCount,
        role: role ?? 'member',
        branding: account.branding ?? null,
        created_at: account.created_at,
        updated_at: account.updated_at,
      }
    }),
    handle(accounts.updateName, async ({ accountId, body, principal }) => {
      await updateName(parts, accountId, body.name, principal.actor)
      const role = await readRoleInAccount(database.sql, accountId, principal.id, clock.now())
      const [account] = await describeAccounts(parts, [{ accountId, role: role ?? 'member' }])
      if (!account) throw problem('not_found')
      return account
    }),
    ...memberRoutes(parts),
    ...inviteRoutes(parts),
    ...brandingRoutes(parts),
  ]
}
