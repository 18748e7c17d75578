import { createPerson, type Person } from '../../../../../tests/support/people.ts'
import { startTestPlatform } from '../../../../../tests/support/platform.ts'
import { newId } from '../../kernel/ids/index.ts'

export type AuditPlatform = Awaited<ReturnType<typeof startAuditPlatform>>

/** A whole platform with one account and its owner, for tests of the audit routes. */
export async function startAuditPlatform(env: Record<string, string> = {}) {
  const platform = await startTestPlatform(env)
  const owner = await createPerson(platform)
  const accountId = await addAccount(owner.userId)

  async function addAccount(userId: string, roleId = 'builtin:owner'): Promise<string> {
    const id = newId()
    const { sql } = platform.database
    await sql`insert into svc.accounts (account_id, name) values (${id}, 'An account')`
    await addMember(id, userId, roleId)
    return id
  }

  async function addMember(account: string, userId: string, roleId: string): Promise<void> {
    await platform.database.sql`
      insert into svc.assignments (assignment_id, account_id, principal_type, principal_id, role_id, scope_type)
      values (${newId()}, ${account}, 'user', ${userId}, ${roleId}, 'account')`
  }

  function call(path: string, { as = owner, ...init }: RequestInit & { as?: Person | undefined } = {}) {
    return fetch(`${platform.url}${path}`, { ...init, headers: { ...as.headers, ...init.headers } })
  }

  /** Writes events for the account as a capability does. */
  async function emit(actions: readonly string[], account = accountId): Promise<void> {
    for (const action of actions) {
      await platform.database.transact({ type: 'human', userId: owner.userId, accountId: account }, (tx) =>
        tx.audit({ action }),
      )
    }
  }

  return { ...platform, platform, owner, accountId, addAccount, addMember, call, emit }
}
