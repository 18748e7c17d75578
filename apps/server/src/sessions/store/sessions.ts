import { and, asc, count, eq, inArray, isNull, lt, ne, or, type SQL, sql } from 'drizzle-orm'
import type { Drizzle, DrizzleTransaction, Tx } from '../../kernel/database/index.ts'
import { sessions } from '../schema.ts'

export type Db = Drizzle | DrizzleTransaction
export type SessionRow = typeof sessions.$inferSelect
export type NewSession = typeof sessions.$inferInsert
export type SessionStatus = SessionRow['status']

export const activeStatuses: readonly SessionStatus[] = ['queued', 'branching', 'provisioning', 'running']

export async function addSession(db: Db, row: NewSession): Promise<SessionRow | undefined> {
  const [added] = await db.insert(sessions).values(row).onConflictDoNothing({ target: sessions.sessionId }).returning()
  return added
}

export async function findSession(db: Db, sessionId: string): Promise<SessionRow | undefined> {
  const prepared = findPrepared.get(db) ?? prepareFind(db)
  findPrepared.set(db, prepared)
  const [row] = await prepared.execute({ sessionId })
  return row
}

/** Asked by nearly every request about a session: planned once for each connection. */
const prepareFind = (db: Db) =>
  db
    .select()
    .from(sessions)
    .where(eq(sessions.sessionId, sql.placeholder('sessionId')))
    .prepare('svc_find_session')
const findPrepared = new WeakMap<Db, ReturnType<typeof prepareFind>>()

/** The same, held until the transaction ends. */
export async function lockSession(db: Db, sessionId: string): Promise<SessionRow | undefined> {
  const [row] = await db.select().from(sessions).where(eq(sessions.sessionId, sessionId)).for('update')
  return row
}

export async function changeSession(
  db: Db,
  sessionId: string,
  change: Partial<NewSession>,
): Promise<SessionRow | undefined> {
  const [row] = await db
    .update(sessions)
    .set({ ...change, updatedAt: sql`now()` })
    .where(eq(sessions.sessionId, sessionId))
    .returning()
  return row
}

/** Moves a session on only from one of the given states, and only for the boot that it belongs to. */
export async function moveSession(
  db: Db,
  sessionId: string,
  from: readonly SessionStatus[],
  change: Partial<NewSession>,
  operationId?: string,
): Promise<SessionRow | undefined> {
  const [row] = await db
    .update(sessions)
    .set({ ...change, updatedAt: sql`now()` })
    .where(
      and(
        eq(sessions.sessionId, sessionId),
        inArray(sessions.status, [...from]),
        isNull(sessions.deletedAt),
        operationId === undefined ? undefined : eq(sessions.operationId, operationId),
      ),
    )
    .returning()
  return row
}

/** Written without moving the record's own time: what changes by itself is no use of it. */
export async function noteSession(db: Db, sessionId: string, change: Partial<NewSession>): Promise<void> {
  await db.update(sessions).set(change).where(eq(sessions.sessionId, sessionId))
}

export async function mergeMetadata(db: Db, sessionId: string, change: Record<string, unknown>): Promise<void> {
  await db
    .update(sessions)
    .set({ metadata: sql`${sessions.metadata} || ${JSON.stringify(change)}::jsonb` })
    .where(eq(sessions.sessionId, sessionId))
}

/** One creation at a time per account, so that what was counted is still so when it is written. */
export async function lockAccount(tx: Tx, accountId: string): Promise<void> {
  await tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`sessions of ${accountId}`}, 0))`)
}

export async function countActive(db: Db, where: { accountId: string } | { projectId: string }): Promise<number> {
  const scope = 'accountId' in where ? eq(sessions.accountId, where.accountId) : eq(sessions.projectId, where.projectId)
  return countWhere(db, and(scope, inArray(sessions.status, [...activeStatuses])))
}

/** Machines of one server are given out one at a time, so that what was counted is still so when it is written. */
export async function lockMachines(tx: Tx, nodeId: string): Promise<void> {
  await tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`machines of ${nodeId}`}, 0))`)
}

const withMachine = inArray(sessions.status, ['branching', 'provisioning', 'running'])

/** Sessions that hold a machine of this server now, or may be about to. */
export async function countMachines(db: Db, nodeId: string): Promise<number> {
  return countWhere(db, and(ofNode(nodeId), withMachine))
}

/** Machines of this server that sessions other than this one hold. */
export async function countOthers(db: Db, nodeId: string, sessionId: string): Promise<number> {
  return countWhere(db, and(eq(sessions.nodeId, nodeId), ne(sessions.sessionId, sessionId), withMachine))
}

/** Sessions of one server, and those that no server has yet. */
function ofNode(nodeId: string): SQL | undefined {
  return or(eq(sessions.nodeId, nodeId), isNull(sessions.nodeId))
}

async function countWhere(db: Db, where: SQL | undefined): Promise<number> {
  const [row] = await db.select({ rows: count() }).from(sessions).where(where)
  return row?.rows ?? 0
}

export async function listByStatus(
  db: Db,
  nodeId: string,
  statuses: readonly SessionStatus[],
  limit = 1000,
): Promise<SessionRow[]> {
  return db
    .select()
    .from(sessions)
    .where(and(ofNode(nodeId), inArray(sessions.status, [...statuses]), isNull(sessions.deletedAt)))
    .orderBy(asc(sessions.createdAt))
    .limit(limit)
}

export async function listIdle(db: Db, nodeId: string, now: Date, limit = 100): Promise<SessionRow[]> {
  return db
    .select()
    .from(sessions)
    .where(and(ofNode(nodeId), eq(sessions.status, 'running'), lt(sessions.idleAt, now)))
    .limit(limit)
}

export async function findWarm(
  db: Db,
  where: {
    projectId: string
    ownerId: string
    spawnedBy: string | undefined
    exceptId: string | undefined
    isOpen: SQL | undefined
  },
): Promise<SessionRow | undefined> {
  const [row] = await db
    .select()
    .from(sessions)
    .where(
      and(
        eq(sessions.projectId, where.projectId),
        eq(sessions.ownerId, where.ownerId),
        // What a person keeps warm is not for an agent of theirs, nor the other way round.
        where.spawnedBy === undefined ? isNull(sessions.spawnedBy) : eq(sessions.spawnedBy, where.spawnedBy),
        eq(sessions.isWarm, true),
        where.isOpen,
        inArray(sessions.status, ['provisioning', 'running']),
        isNull(sessions.deletedAt),
        where.exceptId === undefined ? undefined : sql`${sessions.sessionId} <> ${where.exceptId}`,
      ),
    )
    .orderBy(asc(sessions.createdAt))
    .limit(1)
  return row
}
