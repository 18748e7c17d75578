import { createHash } from 'node:crypto'
import type { Tx } from '../../kernel/database/index.ts'
import { grantRole } from '../assignments/grant-role.ts'
import type { AssignmentRow } from '../assignments/record.ts'
import { type AssignmentContext, revokeRoles } from '../assignments/revoke-roles.ts'

/** The namespace for names of the domain name system (RFC 9562). */
const namespace = Buffer.from('6ba7b8109dad11d180b400c04fd430c8', 'hex')

/** The principal that stands for somebody who has no user yet: a UUIDv5 of the lower-cased address. */
export function pendingPrincipalId(email: string): string {
  const hash = createHash('sha1').update(namespace).update(email.trim().toLowerCase()).digest().subarray(0, 16)
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6)
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = hash.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** Turns what waits for an address into the user's own. Repeating it changes nothing. */
export async function claimPendingAssignments(
  context: AssignmentContext,
  tx: Tx,
  { accountId, email, userId }: { accountId: string; email: string; userId: string },
): Promise<AssignmentRow[]> {
  const principal = { type: 'pending', id: pendingPrincipalId(email) } as const
  const waiting = await revokeRoles(context, tx, { accountId, principal })
  const claimed: AssignmentRow[] = []
  for (const row of waiting) {
    if (row.expiresAt !== null && row.expiresAt <= context.clock.now()) continue
    const granted = await grantRole(context, tx, {
      accountId,
      principal: { type: 'user', id: userId },
      roleId: row.roleId,
      projectId: row.scopeId ?? undefined,
      object: row.objectType && row.objectId !== null ? { type: row.objectType, id: row.objectId } : undefined,
      expiresAt: row.expiresAt,
      source: row.source,
    })
    claimed.push(granted)
  }
  return claimed
}
