import { and, desc, eq, lt } from 'drizzle-orm'
import type { Drizzle, DrizzleTransaction } from '../kernel/database/index.ts'
import { githubInstallations, githubUsedStates } from './schema.ts'

type Db = Drizzle | DrizzleTransaction
export type InstallationRow = typeof githubInstallations.$inferSelect
export type NewInstallation = typeof githubInstallations.$inferInsert

const maxInstallations = 100

/** The one saved last comes first: it is used where none is named. */
export function listInstallations(db: Db, accountId: string): Promise<InstallationRow[]> {
  return db
    .select()
    .from(githubInstallations)
    .where(eq(githubInstallations.accountId, accountId))
    .orderBy(desc(githubInstallations.updatedAt), githubInstallations.installationId)
    .limit(maxInstallations)
}

export async function findInstallation(
  db: Db,
  accountId: string,
  installationId: string,
): Promise<InstallationRow | undefined> {
  const [row] = await db.select().from(githubInstallations).where(isOne(accountId, installationId))
  return row
}

/** Saved again, it keeps its row and tells what GitHub says now. */
export async function putInstallation(db: Db, row: NewInstallation): Promise<InstallationRow> {
  const { installationRowId: _id, createdAt: _createdAt, ...now } = row
  const [saved] = await db
    .insert(githubInstallations)
    .values(row)
    .onConflictDoUpdate({ target: [githubInstallations.accountId, githubInstallations.installationId], set: now })
    .returning()
  if (!saved) throw new Error('the installation was not written')
  return saved
}

export async function deleteInstallations(
  db: Db,
  accountId: string,
  installationId: string | undefined,
): Promise<InstallationRow[]> {
  return db
    .delete(githubInstallations)
    .where(
      installationId === undefined ? eq(githubInstallations.accountId, accountId) : isOne(accountId, installationId),
    )
    .returning()
}

export async function isStateUsed(db: Db, nonce: string): Promise<boolean> {
  const [row] = await db.select().from(githubUsedStates).where(eq(githubUsedStates.nonce, nonce))
  return row !== undefined
}

/** False when somebody was faster. */
export async function useState(db: Db, nonce: string, expiresAt: Date, now: Date): Promise<boolean> {
  await db.delete(githubUsedStates).where(lt(githubUsedStates.expiresAt, now))
  const rows = await db.insert(githubUsedStates).values({ nonce, expiresAt }).onConflictDoNothing().returning()
  return rows.length === 1
}

function isOne(accountId: string, installationId: string) {
  return and(eq(githubInstallations.accountId, accountId), eq(githubInstallations.installationId, installationId))
}
