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
}

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
function opens(viewer: Viewer): SQL | undefined {
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
              groupIds.length === 0
                ? undefined
                : sql`${sessions.sharedGroups} && array[${sql.join(
                    groupIds.map((groupId) => sql`${groupId}`),
                    sql`, `,
                  )}]::text[]`,
            ),
          ),
        )
  const byRole = isManager ? inArray(sessions.origin, ['trigger', 'schedule']) : undefined
  return or(eq(sessions.visibility, 'project'), byPerson, byRole)
}

function opensAsAgent({ sessionId }: Viewer): SQL | undefined {
  const shared = and(eq(sessions.visibility, 'project'), ne(sessions.origin, 'backend'))
  if (sessionId === undefined) return shared
  return or(eq(sessions.sessionId, sessionId), eq(sessions.spawnedBy, sessionId), shared)
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
