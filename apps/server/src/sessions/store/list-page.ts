import { and, desc, eq, exists, inArray, isNull, ne, or, type SQL, sql } from 'drizzle-orm'
import { sessions } from '../schema.ts'
import type { Db, SessionRow } from './sessions.ts'

/** Whose sessions a list shows. */
export interface Viewer {
  /** A person or service account; undefined for a credential that stands for nobody. */
  readonly id: string | undefined
  readonly groupIds: readonly string[]
  readonly isManager: boolean
  /** An agent's credential: it stands for a person and sees less than they do. */
  readonly isAgent: boolean
  /** The session whose own token asks. */
  readonly sessionId: string | undefined
  /** Who may open that session, and with it speak to whoever asks. */
  readonly audience: Audience | undefined
}

export type Audience = Pick<SessionRow, 'visibility' | 'sharedMembers' | 'sharedGroups'>

interface Page {
  readonly projectId: string
  readonly scope: 'visible' | 'project'
  readonly before: { readonly updatedAt: Date; readonly sessionId: string } | undefined
  readonly limit: number
}

/** Last used first. Sessions that the viewer cannot open are in no scope. */
export async function listSessionPage(db: Db, viewer: Viewer, page: Page): Promise<SessionRow[]> {
  const { before } = page
  return db
    .select()
    .from(sessions)
    .where(
      and(
        eq(sessions.projectId, page.projectId),
        opens(viewer),
        page.scope === 'project' ? undefined : isUsable,
        before === undefined
          ? undefined
          : sql`(${sessions.updatedAt}, ${sessions.sessionId}) < (${before.updatedAt.toISOString()}::timestamptz, ${before.sessionId}::uuid)`,
      ),
    )
    .orderBy(desc(sessions.updatedAt), desc(sessions.sessionId))
    .limit(page.limit)
}

/** The rule of `access.ts` as a condition. */
export function opens(viewer: Viewer): SQL | undefined {
  const { id, groupIds, isManager } = viewer
  if (viewer.isAgent) return opensAsAgent(viewer)
  const byPerson =
    id === undefined
      ? undefined
      : or(
          eq(sessions.ownerId, id),
          and(
            eq(sessions.visibility, 'restricted'),
            or(
              sql`${id} = any(${sessions.sharedMembers})`,
              groupIds.length === 0 ? undefined : sql`${sessions.sharedGroups} && ${textArray(groupIds)}`,
            ),
          ),
        )
  const byRole = isManager ? inArray(sessions.origin, ['trigger', 'schedule']) : undefined
  return or(eq(sessions.visibility, 'project'), byPerson, byRole)
}

function textArray(values: readonly string[]): SQL {
  const listed = values.map((value) => sql`${value}`)
  return sql`array[${sql.join(listed, sql`, `)}]::text[]`
}

function opensAsAgent({ sessionId, audience }: Viewer): SQL | undefined {
  const shared = and(eq(sessions.visibility, 'project'), ne(sessions.origin, 'backend'))
  if (sessionId === undefined) return shared
  const started = audience && and(eq(sessions.spawnedBy, sessionId), opensTo(audience))
  return or(eq(sessions.sessionId, sessionId), started, shared)
}

function opensTo({ visibility, sharedMembers, sharedGroups }: Audience): SQL | undefined {
  if (visibility === 'private') return undefined
  const isForAll = eq(sessions.visibility, 'project')
  if (visibility === 'project') return isForAll
  const isForThem = and(
    eq(sessions.visibility, 'restricted'),
    sql`${sessions.sharedMembers} @> ${textArray(sharedMembers)}`,
    sql`${sessions.sharedGroups} @> ${textArray(sharedGroups)}`,
  )
  return or(isForAll, isForThem)
}

const hasDisk = exists(
  sql`(select 1 from svc.sandboxes machine where machine.sandbox_id = ${sessions.sessionId} and machine.status <> 'archived')`,
)

/** Not deleted, not waiting to be used, and not a stopped one whose disk is gone. */
const isUsable = and(
  isNull(sessions.deletedAt),
  eq(sessions.isWarm, false),
  or(ne(sessions.status, 'stopped'), hasDisk, isNull(sessions.bootingSince)),
)
