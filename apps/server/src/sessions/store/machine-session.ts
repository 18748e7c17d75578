import type { Sql } from '../../kernel/database/index.ts'
import type { SessionRow } from './sessions.ts'

/** What decides whether somebody may get into a machine, read in one question. */
export interface MachineSession
  extends Pick<
    SessionRow,
    | 'sessionId'
    | 'projectId'
    | 'accountId'
    | 'agentName'
    | 'status'
    | 'nodeId'
    | 'ownerType'
    | 'ownerId'
    | 'visibility'
    | 'sharedMembers'
    | 'sharedGroups'
    | 'origin'
    | 'spawnedBy'
  > {
  readonly machineStatus: string
  /** Groups of the asking person, where they have a say: in a session that is shared with some. */
  readonly groupIds: readonly string[]
}

/** Undefined where there is no such machine, and where its session was deleted. */
export async function findMachineSession(
  sql: Sql,
  externalId: string,
  userId: string | null,
): Promise<MachineSession | undefined> {
  const [row] = await sql<MachineSession[]>`
    select session.session_id as "sessionId", session.project_id as "projectId", session.account_id as "accountId",
      session.agent_name as "agentName", session.status, session.node_id as "nodeId",
      session.owner_type as "ownerType", session.owner_id as "ownerId", session.visibility,
      session.shared_members as "sharedMembers", session.shared_groups as "sharedGroups",
      session.origin, session.spawned_by as "spawnedBy", machine.status as "machineStatus",
      case when session.visibility = 'restricted' then array(
        select member.group_id from svc.group_members member join svc.groups using (group_id)
        where groups.account_id = session.account_id and member.user_id = ${userId}::uuid
      ) else '{}'::uuid[] end as "groupIds"
    from svc.sandboxes machine join svc.sessions session on session.session_id = machine.sandbox_id
    where machine.external_id = ${externalId} and session.deleted_at is null`
  return row
}
