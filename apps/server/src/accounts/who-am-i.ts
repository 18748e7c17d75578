import type { CallerIdentity } from '@svc/contract'
import type { z } from 'zod'
import type { Principal } from '../kernel/principal.ts'
import { slugOf } from './account-record.ts'
import { listOwnMemberships } from './list-accounts.ts'
import type { Parts } from './parts.ts'
import { listAccountRows } from './store/accounts.ts'

/** Who a credential stands for. A service account has no address and belongs to no account as a member. */
export async function describeCaller(parts: Parts, principal: Principal): Promise<z.input<typeof CallerIdentity>> {
  const { agentGrant } = principal
  const memberships = await listOwnMemberships(parts, principal, principal.actor)
  const ids = memberships.map(({ accountId }) => accountId)
  const names = new Map(
    (await listAccountRows(parts.kernel.database.sql, ids)).map(({ accountId, name }) => [accountId, name]),
  )
  return {
    user_id: principal.id,
    email: principal.email ?? '',
    token_context: {
      auth_type: principal.authType ?? 'session',
      project_id: principal.boundProjectId ?? null,
      session_id: principal.sessionId ?? null,
      agent: agentGrant?.agent ?? null,
      connectors: agentGrant?.connectors ?? null,
      svc_cli: agentGrant?.svc_cli ?? null,
      env: agentGrant?.env ?? null,
    },
    accounts: memberships.flatMap(({ accountId, role }) => {
      const name = names.get(accountId)
      return name === undefined ? [] : [{ account_id: accountId, slug: slugOf(accountId), name, role }]
    }),
  }
}
