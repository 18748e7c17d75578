import { and, asc, eq, gt, isNotNull } from 'drizzle-orm'
import type { Tx } from '../../kernel/database/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import { mintToken, showTokenStart } from '../../kernel/tokens/index.ts'
import type { Access } from '../access.ts'
import { decodeCursor, pageSize } from '../paging.ts'
import { serviceAccounts } from '../schema.ts'

export interface AgentIdentity {
  readonly accountId: string
  readonly projectId: string
  readonly agentName: string
}

/** The one service account of an agent in a project, made when it is first needed. Nobody knows its secret. */
export async function ensureAgentIdentity(access: Access, tx: Tx, agent: AgentIdentity): Promise<string> {
  const secret = mintToken('svc_sa_')
  const serviceAccountId = newId()
  await tx.db
    .insert(serviceAccounts)
    .values({
      serviceAccountId,
      accountId: agent.accountId,
      name: `agent ${agent.agentName.slice(0, 84)} ${serviceAccountId}`,
      publicPrefix: showTokenStart(secret),
      secretHash: access.kernel.tokenHasher.hashToken(secret),
      projectId: agent.projectId,
      agentName: agent.agentName,
    })
    .onConflictDoNothing()
  const [row] = await tx.db
    .select({ id: serviceAccounts.serviceAccountId })
    .from(serviceAccounts)
    .where(and(eq(serviceAccounts.projectId, agent.projectId), eq(serviceAccounts.agentName, agent.agentName)))
  if (!row) throw new Error(`no identity for agent ${agent.agentName}`)
  access.context.noteChange(tx, agent.accountId)
  return row.id
}

export async function listAgentIdentities({ kernel }: Access, accountId: string, cursor: string | undefined) {
  const after = decodeCursor(cursor, ['uuid'])
  const { serviceAccountId, projectId } = serviceAccounts
  return kernel.database.db
    .select()
    .from(serviceAccounts)
    .where(
      and(
        eq(serviceAccounts.accountId, accountId),
        isNotNull(projectId),
        after?.[0] === undefined ? undefined : gt(serviceAccountId, after[0]),
      ),
    )
    .orderBy(asc(serviceAccountId))
    .limit(pageSize + 1)
}
