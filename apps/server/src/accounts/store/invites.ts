import { and, desc, eq, gt, isNull, lt, type SQL, sql } from 'drizzle-orm'
import type { Drizzle, DrizzleTransaction, Sql, Tx } from '../../kernel/database/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import { accountInvites, type InviteGrant } from '../schema.ts'
import { lockAccount } from './accounts.ts'

export type InviteRow = typeof accountInvites.$inferSelect

export interface InviteInput {
  readonly accountId: string
  readonly email: string
  readonly initialRole: InviteRow['initialRole']
  readonly projectGrants: readonly InviteGrant[]
  readonly invitedBy: string | null
  readonly expiresAt: Date
}

/** One open invitation per account and address: inviting again changes it, and its link stays good. */
export async function putInvite(db: DrizzleTransaction, invite: InviteInput, now: Date): Promise<InviteRow> {
  const { initialRole, projectGrants, invitedBy, expiresAt } = invite
  const [row] = await db
    .insert(accountInvites)
    .values({ ...invite, inviteId: newId(), createdAt: now })
    .onConflictDoUpdate({
      target: [accountInvites.accountId, accountInvites.email],
      targetWhere: isNull(accountInvites.acceptedAt),
      set: { initialRole, projectGrants, invitedBy, expiresAt },
    })
    .returning()
  if (!row) throw new Error('an upsert returned no row')
  return row
}

/** Within a transaction: and nobody else changes it meanwhile. */
export async function lockInvite(db: DrizzleTransaction, condition: SQL | undefined): Promise<InviteRow | undefined> {
  const [row] = await db.select().from(accountInvites).where(condition).for('update')
  return row
}

/** The account first, as everybody who changes members does, so that nobody waits for each other. */
export async function lockInviteInAccount(tx: Tx, inviteId: string): Promise<InviteRow | undefined> {
  const [found] = await tx.db.select({ accountId: accountInvites.accountId }).from(accountInvites).where(byId(inviteId))
  if (!found) return undefined
  await lockAccount(tx, found.accountId)
  return lockInvite(tx.db, byId(inviteId))
}

/** Open or accepted. */
export const findInviteOf = (db: DrizzleTransaction, accountId: string, inviteId: string) =>
  lockInvite(db, and(byId(inviteId), eq(accountInvites.accountId, accountId)))

export const byId = (inviteId: string) => eq(accountInvites.inviteId, inviteId)

export const openById = (accountId: string, inviteId: string) =>
  and(byId(inviteId), eq(accountInvites.accountId, accountId), isNull(accountInvites.acceptedAt))

export const openByEmail = (accountId: string, email: string) =>
  and(eq(accountInvites.accountId, accountId), eq(accountInvites.email, email), isNull(accountInvites.acceptedAt))

export async function listOpenInvites(
  db: Drizzle,
  accountId: string,
  now: Date,
  { beforeId, limit }: { beforeId: string | undefined; limit: number },
): Promise<InviteRow[]> {
  return db
    .select()
    .from(accountInvites)
    .where(
      and(
        eq(accountInvites.accountId, accountId),
        isNull(accountInvites.acceptedAt),
        gt(accountInvites.expiresAt, now),
        beforeId === undefined ? undefined : lt(accountInvites.inviteId, beforeId),
      ),
    )
    .orderBy(desc(accountInvites.inviteId))
    .limit(limit)
}

/** Those open to this address, oldest first. */
export async function listInvitesTo(db: Drizzle | DrizzleTransaction, email: string, now: Date): Promise<InviteRow[]> {
  return db
    .select()
    .from(accountInvites)
    .where(and(eq(accountInvites.email, email), isNull(accountInvites.acceptedAt), gt(accountInvites.expiresAt, now)))
    .orderBy(accountInvites.inviteId)
}

export type InviteChange = Partial<Pick<InviteRow, 'expiresAt' | 'acceptedAt' | 'acceptedBy' | 'projectGrants'>>

export async function changeInvite(db: DrizzleTransaction, inviteId: string, change: InviteChange): Promise<void> {
  await db.update(accountInvites).set(change).where(byId(inviteId))
}

export async function deleteInvite(db: DrizzleTransaction, inviteId: string): Promise<void> {
  await db.delete(accountInvites).where(byId(inviteId))
}

/** What somebody once accepted: gone, so that it gives nothing again. */
export async function deleteAcceptedInvites(db: DrizzleTransaction, accountId: string, userId: string): Promise<void> {
  await db
    .delete(accountInvites)
    .where(and(eq(accountInvites.accountId, accountId), eq(accountInvites.acceptedBy, userId)))
}

/** Open or accepted, of an account, that offer a project. Nobody else changes them until the transaction ends. */
export async function lockInvitesTo(
  db: DrizzleTransaction,
  accountId: string,
  projectId: string,
): Promise<InviteRow[]> {
  const offersIt = sql`${accountInvites.projectGrants} @> ${JSON.stringify([{ project_id: projectId }])}::jsonb`
  return db
    .select()
    .from(accountInvites)
    .where(and(eq(accountInvites.accountId, accountId), offersIt))
    .orderBy(accountInvites.inviteId)
    .for('update')
}

export async function listAcceptedInvites(
  db: DrizzleTransaction,
  accountId: string,
  userId: string,
): Promise<InviteRow[]> {
  return db
    .select()
    .from(accountInvites)
    .where(and(eq(accountInvites.accountId, accountId), eq(accountInvites.acceptedBy, userId)))
}

export interface InviteView {
  readonly inviteId: string
  readonly accountId: string
  readonly accountName: string
  readonly email: string
  readonly initialRole: InviteRow['initialRole']
  readonly inviterEmail: string | null
  readonly createdAt: Date
  readonly expiresAt: Date
  readonly acceptedAt: Date | null
}

export async function findInviteView(sql: Sql, inviteId: string): Promise<InviteView | undefined> {
  const [row] = await sql<InviteView[]>`
    select invite.invite_id as "inviteId", invite.account_id as "accountId", account.name as "accountName",
      invite.email, invite.initial_role as "initialRole", inviter.email as "inviterEmail",
      invite.created_at as "createdAt", invite.expires_at as "expiresAt", invite.accepted_at as "acceptedAt"
    from svc.account_invites invite join svc.accounts account using (account_id)
    left join svc.users inviter on inviter.user_id = invite.invited_by
    where invite.invite_id = ${inviteId}`
  return row
}

export async function hasOpenInvite(sql: Sql, email: string, now: Date): Promise<boolean> {
  const rows = await sql`
    select from svc.account_invites where email = ${email} and accepted_at is null and expires_at > ${now} limit 1`
  return rows.length > 0
}

/** Whether one waits for this person that carries no project, and their address is proven. Asked on every look at the accounts. */
export async function hasPlainInvite(sql: Sql, userId: string, now: Date): Promise<boolean> {
  const rows = await sql`
    select from svc.account_invites invite join svc.users person using (email)
    where person.user_id = ${userId} and person.email_confirmed_at is not null and invite.accepted_at is null and invite.expires_at > ${now}
      and invite.project_grants = '[]' limit 1`
  return rows.length > 0
}
