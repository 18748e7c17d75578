import type { Tx } from '../../kernel/database/index.ts'
import { decodeCursor, pageSize } from '../../kernel/http/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import { mintToken, showTokenStart } from '../../kernel/tokens/index.ts'
import type { Access } from '../access.ts'
import {
  findAgentServiceAccountId,
  insertServiceAccount,
  listAgentRows,
  type ServiceAccountRow,
} from '../store/service-accounts.ts'

export interface AgentIdentity {
  readonly accountId: string
  readonly projectId: string
  readonly agentName: string
}

/** The one service account of an agent in a project, made when it is first needed. Nobody knows its secret. */
export async function ensureAgentIdentity(access: Access, tx: Tx, agent: AgentIdentity): Promise<string> {
  const secret = mintToken('svc_sa_')
  const serviceAccountId = newId()
  await insertServiceAccount(tx, {
    serviceAccountId,
    accountId: agent.accountId,
    name: `agent ${agent.agentName.slice(0, 84)} ${serviceAccountId}`,
    publicPrefix: showTokenStart(secret),
    secretHash: access.kernel.tokenHasher.hashToken(secret),
    projectId: agent.projectId,
    agentName: agent.agentName,
  })
  const identityId = await findAgentServiceAccountId(tx, agent)
  if (identityId === undefined) throw new Error(`no identity for agent ${agent.agentName}`)
  access.context.noteChange(tx, agent.accountId)
  return identityId
}

export async function listAgentIdentities(
  { kernel }: Access,
  accountId: string,
  cursor: string | undefined,
): Promise<ServiceAccountRow[]> {
  const afterId = decodeCursor(cursor, ['uuid'])?.[0]
  return listAgentRows(kernel.database.db, accountId, { afterId, limit: pageSize + 1 })
}
