import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { Drizzle, DrizzleTransaction } from '../kernel/database/index.ts'
import { sandboxes } from './schema.ts'

export type Db = Drizzle | DrizzleTransaction
export type MachineRow = typeof sandboxes.$inferSelect
export type NewMachine = typeof sandboxes.$inferInsert
export type MachineStatus = MachineRow['status']

export async function findMachine(db: Db, sandboxId: string): Promise<MachineRow | undefined> {
  const [row] = await db.select().from(sandboxes).where(eq(sandboxes.sandboxId, sandboxId))
  return row
}

export async function findByExternalId(db: Db, externalId: string): Promise<MachineRow | undefined> {
  const prepared = findPrepared.get(db) ?? prepareFind(db)
  findPrepared.set(db, prepared)
  const [row] = await prepared.execute({ externalId })
  return row
}

/** Asked by every request into a machine: planned once for each connection. */
const prepareFind = (db: Db) =>
  db
    .select()
    .from(sandboxes)
    .where(eq(sandboxes.externalId, sql.placeholder('externalId')))
    .prepare('svc_find_machine')
const findPrepared = new WeakMap<Db, ReturnType<typeof prepareFind>>()

/** Undefined when the sandbox has a row already. */
export async function addMachine(db: Db, machine: NewMachine): Promise<MachineRow | undefined> {
  const [row] = await db
    .insert(sandboxes)
    .values(machine)
    .onConflictDoNothing({ target: sandboxes.sandboxId })
    .returning()
  return row
}

/**
 * The lowest user id of the pool that no machine of this node holds. The lock is kept until the transaction ends, so
 * two machines made at once get two ids.
 */
export async function takeHostUid(
  db: Db,
  nodeId: string,
  pool: { firstUid: number; count: number },
): Promise<number | undefined> {
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`host users of ${nodeId}`}, 0))`)
  const held = await db
    .select({ uid: sandboxes.hostUid })
    .from(sandboxes)
    .where(and(eq(sandboxes.nodeId, nodeId), sql`${sandboxes.hostUid} is not null`))
  const taken = new Set(held.map(({ uid }) => uid))
  for (let uid = pool.firstUid; uid < pool.firstUid + pool.count; uid += 1) if (!taken.has(uid)) return uid
  return undefined
}

export async function changeMachine(
  db: Db,
  sandboxId: string,
  change: Partial<NewMachine>,
): Promise<MachineRow | undefined> {
  const [row] = await db
    .update(sandboxes)
    .set({ ...change, updatedAt: sql`now()` })
    .where(eq(sandboxes.sandboxId, sandboxId))
    .returning()
  return row
}

/** Moves a machine on only from one of the given states, so that of two writers one wins. */
export async function moveMachine(
  db: Db,
  sandboxId: string,
  from: readonly MachineStatus[],
  change: Partial<NewMachine>,
): Promise<MachineRow | undefined> {
  const [row] = await db
    .update(sandboxes)
    .set({ ...change, updatedAt: sql`now()` })
    .where(and(eq(sandboxes.sandboxId, sandboxId), inArray(sandboxes.status, [...from])))
    .returning()
  return row
}

export async function touchMachines(db: Db, sandboxIds: readonly string[]): Promise<void> {
  await db
    .update(sandboxes)
    .set({ lastUsedAt: sql`now()` })
    .where(inArray(sandboxes.sandboxId, [...sandboxIds]))
}

/** Everything of this node whose disk may exist. */
export async function listOfNode(db: Db, nodeId: string): Promise<MachineRow[]> {
  return db
    .select()
    .from(sandboxes)
    .where(and(eq(sandboxes.nodeId, nodeId), sql`${sandboxes.status} <> 'archived'`))
    .orderBy(asc(sandboxes.createdAt))
}

/** So that the next machine of the same session can be a new one. Only of a machine whose disk is gone. */
export async function forgetMachine(db: Db, sandboxId: string): Promise<void> {
  await db.delete(sandboxes).where(and(eq(sandboxes.sandboxId, sandboxId), eq(sandboxes.status, 'archived')))
}

export async function countWarm(db: Db, nodeId: string): Promise<number> {
  const [row] = await db
    .select({ count: sql<number>`count(*)::int` })
    .from(sandboxes)
    .where(
      and(
        eq(sandboxes.nodeId, nodeId),
        isNull(sandboxes.projectId),
        inArray(sandboxes.status, ['provisioning', 'active']),
      ),
    )
  return row?.count ?? 0
}

/** Takes the oldest waiting machine for a session; two claims at once never get the same one. */
export async function claimWarm(
  db: Db,
  nodeId: string,
  claim: { sandboxId: string; projectId: string; accountId: string; provider: string },
): Promise<MachineRow | undefined> {
  const oldest = sql`(select sandbox_id from svc.sandboxes
    where node_id = ${nodeId} and provider = ${claim.provider} and project_id is null and status = 'active'
    order by created_at limit 1 for update skip locked)`
  const { sandboxId, projectId, accountId } = claim
  const [row] = await db
    .update(sandboxes)
    .set({ sandboxId, projectId, accountId, status: 'provisioning', lastUsedAt: sql`now()`, updatedAt: sql`now()` })
    .where(eq(sandboxes.sandboxId, oldest))
    .returning()
  return row
}
