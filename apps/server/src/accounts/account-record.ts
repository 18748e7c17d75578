import type { Account } from '@svc/contract'
import type { z } from 'zod'
import { type BrandingRecord, readBrandings } from './branding/read-branding.ts'
import type { Parts } from './parts.ts'
import { type AccountRow, listAccountRows } from './store/accounts.ts'
import type { MemberRole } from './store/members.ts'

export type AccountRecord = z.input<typeof Account>

/** People recognise an account by it; nothing is looked up by it. */
export const slugOf = (accountId: string) => accountId.slice(0, 8)

export function toAccount(
  row: AccountRow,
  role: MemberRole | undefined,
  branding: BrandingRecord | null,
): AccountRecord {
  return {
    account_id: row.accountId,
    name: row.name,
    slug: slugOf(row.accountId),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    ...(role === undefined ? {} : { account_role: role, is_primary_owner: role === 'owner' }),
    branding,
  }
}

interface Membership {
  readonly accountId: string
  readonly role: MemberRole
}

/** In the order of the memberships. */
export async function describeAccounts(parts: Parts, memberships: readonly Membership[]): Promise<AccountRecord[]> {
  const ids = memberships.map(({ accountId }) => accountId)
  const rows = new Map((await listAccountRows(parts.kernel.database.sql, ids)).map((row) => [row.accountId, row]))
  const brandings = await readBrandings(parts, ids)
  return memberships.flatMap(({ accountId, role }) => {
    const row = rows.get(accountId)
    return row ? [toAccount(row, role, brandings.get(accountId) ?? null)] : []
  })
}
