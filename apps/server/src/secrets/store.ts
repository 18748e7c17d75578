import { and, count, desc, eq, ne, sql } from 'drizzle-orm'
import type { Drizzle, DrizzleTransaction, Sql, Tx } from '../kernel/database/index.ts'
import { personalSecrets, secrets } from './schema.ts'

export type Db = Drizzle | DrizzleTransaction
export type SecretRow = typeof secrets.$inferSelect
export type NewSecret = typeof secrets.$inferInsert
export type PersonalRow = typeof personalSecrets.$inferSelect
export type NewPersonal = typeof personalSecrets.$inferInsert

/** One write of a project's secrets at a time: what was checked is still so when it is written. */
export async function lockProject(tx: Tx, projectId: string): Promise<void> {
  await tx.db.execute(sql`select from svc.projects where project_id = ${projectId} for no key update`)
}

export async function findSecret(db: Db, projectId: string, identifier: string): Promise<SecretRow | undefined> {
  const [row] = await db
    .select()
    .from(secrets)
    .where(and(eq(secrets.projectId, projectId), eq(secrets.identifier, identifier)))
  return row
}

/** Newest first. */
export async function listSecretsByName(db: Db, projectId: string, name: string): Promise<SecretRow[]> {
  return db
    .select()
    .from(secrets)
    .where(and(eq(secrets.projectId, projectId), eq(secrets.name, name)))
    .orderBy(desc(secrets.createdAt), desc(secrets.secretId))
}

/** By identifier, without values. */
export async function listDelivery(db: Db, projectId: string) {
  const rows = await db
    .select({
      identifier: secrets.identifier,
      name: secrets.name,
      strategy: secrets.strategy,
      consumer: secrets.consumer,
      egressPolicy: secrets.egressPolicy,
    })
    .from(secrets)
    .where(eq(secrets.projectId, projectId))
    .orderBy(secrets.identifier)
  return rows.map(({ egressPolicy, ...row }) => ({ ...row, hosts: egressPolicy?.rules.map(({ host }) => host) ?? [] }))
}

export async function putSecret(db: Db, row: NewSecret): Promise<SecretRow> {
  const { secretId: _id, accountId: _account, projectId: _project, createdBy: _by, createdAt: _at, ...change } = row
  const [written] = await db
    .insert(secrets)
    .values(row)
    .onConflictDoUpdate({ target: secrets.secretId, set: change })
    .returning()
  if (!written) throw new Error('an upsert returned no row')
  return written
}

export async function deleteSecret(db: Db, secretId: string): Promise<void> {
  await db.delete(secrets).where(eq(secrets.secretId, secretId))
}

export async function countSecrets(db: Db, projectId: string): Promise<number> {
  const [row] = await db.select({ rows: count() }).from(secrets).where(eq(secrets.projectId, projectId))
  return row?.rows ?? 0
}

/** Those of the project that are substituted outside the sandbox, besides one. */
export async function listEgressSecrets(db: Db, projectId: string, exceptIdentifier: string) {
  return db
    .select({ identifier: secrets.identifier, egressPolicy: secrets.egressPolicy })
    .from(secrets)
    .where(
      and(eq(secrets.projectId, projectId), eq(secrets.strategy, 'egress'), ne(secrets.identifier, exceptIdentifier)),
    )
}

const ownedBy = (projectId: string, userId: string) =>
  and(eq(personalSecrets.projectId, projectId), eq(personalSecrets.userId, userId))

export async function findPersonal(
  db: Db,
  projectId: string,
  userId: string,
  name: string,
): Promise<PersonalRow | undefined> {
  const [row] = await db
    .select()
    .from(personalSecrets)
    .where(and(ownedBy(projectId, userId), eq(personalSecrets.name, name)))
  return row
}

export async function putPersonal(db: Db, row: NewPersonal): Promise<PersonalRow> {
  const { sealedValue, active, updatedAt } = row
  const [written] = await db
    .insert(personalSecrets)
    .values(row)
    .onConflictDoUpdate({ target: personalSecrets.personalSecretId, set: { sealedValue, active, updatedAt } })
    .returning()
  if (!written) throw new Error('an upsert returned no row')
  return written
}

export async function deletePersonal(db: Db, personalSecretId: string): Promise<void> {
  await db.delete(personalSecrets).where(eq(personalSecrets.personalSecretId, personalSecretId))
}

export async function countPersonal(db: Db, projectId: string, userId: string): Promise<number> {
  const [row] = await db.select({ rows: count() }).from(personalSecrets).where(ownedBy(projectId, userId))
  return row?.rows ?? 0
}

/** A secret without its value, and what the reader has of their own under the same name. */
export interface ListedSecret {
  readonly shared: Omit<SecretRow, 'sealedValue' | 'accountId'> | undefined
  readonly identifier: string
  readonly name: string
  readonly mine: Pick<PersonalRow, 'active' | 'updatedAt'> | undefined
}

interface ListedColumns extends Omit<SecretRow, 'sealedValue' | 'accountId' | 'secretId'> {
  readonly secretId: string | null
  readonly mineActive: boolean | null
  readonly mineUpdatedAt: Date | null
}

interface Page {
  readonly projectId: string
  readonly userId: string | null
  /** Undefined: all of them. */
  readonly identifiers: readonly string[] | undefined
  readonly after: readonly [identifier: string, name: string] | undefined
  readonly limit: number
}

/** By identifier: the shared ones, and those names that only the reader has a value for. */
export async function listSecretPage(sql: Sql, page: Page): Promise<ListedSecret[]> {
  const { projectId, userId, identifiers, after, limit } = page
  const [identifier, name] = after ?? ['', '']
  const rows = await sql<ListedColumns[]>`
    select * from (
      select s.secret_id as "secretId", s.project_id as "projectId", s.identifier, s.name, s.strategy, s.consumer,
        s.egress_policy as "egressPolicy", s.handle_prefix as "handlePrefix", s.strategy_locked as "strategyLocked",
        s.requires_rotation as "requiresRotation", s.created_by as "createdBy", s.created_at as "createdAt",
        s.updated_at as "updatedAt", s.last_rotated_at as "lastRotatedAt",
        m.active as "mineActive", m.updated_at as "mineUpdatedAt"
      from svc.secrets s left join svc.personal_secrets m
        on m.project_id = s.project_id and m.name = s.name and m.user_id = ${userId}
      where s.project_id = ${projectId}
      union all
      select null, m.project_id, m.name, m.name, 'runtime', 'sandbox', null, null, false, false, null, m.created_at,
        m.updated_at, null, m.active, m.updated_at
      from svc.personal_secrets m
      where m.project_id = ${projectId} and m.user_id = ${userId} and not exists (
        select from svc.secrets s where s.project_id = m.project_id and s.name = m.name)) listed
    where (identifier collate "C", name collate "C") > (${identifier}::text, ${name}::text)
      ${identifiers === undefined ? sql`` : sql`and identifier = any(${[...identifiers]}::text[])`}
    order by identifier collate "C", name collate "C" limit ${limit}`
  return rows.map(({ secretId, mineActive, mineUpdatedAt, ...row }) => ({
    identifier: row.identifier,
    name: row.name,
    shared: secretId === null ? undefined : { ...row, secretId },
    mine: mineActive === null || mineUpdatedAt === null ? undefined : { active: mineActive, updatedAt: mineUpdatedAt },
  }))
}
