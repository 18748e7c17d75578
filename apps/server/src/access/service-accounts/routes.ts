import { operations } from '@svc/contract'
import { answerPage, encodeCursor, type Handled, handle } from '../../kernel/http/index.ts'
import type { Access } from '../access.ts'
import { listAgentIdentities } from './agent-identities.ts'
import {
  createServiceAccount,
  deleteServiceAccount,
  disableServiceAccount,
  listServiceAccounts,
  toServiceAccountRecord,
} from './service-accounts.ts'

export function serviceAccountRoutes(access: Access): Handled[] {
  const { iam } = operations
  return [
    handle(iam.listServiceAccounts, async ({ accountId, query }) =>
      answerPage(
        await listServiceAccounts(access, accountId, query.cursor),
        ({ row, createdAtText }) => encodeCursor([createdAtText, row.serviceAccountId]),
        (page) => ({ service_accounts: page.map(({ row }) => toServiceAccountRecord(row)) }),
      ),
    ),
    handle(iam.createServiceAccount, ({ accountId, actor, body }) =>
      createServiceAccount(access, actor, accountId, body),
    ),
    handle(iam.disableServiceAccount, async ({ accountId, actor, params }) => {
      await disableServiceAccount(access, actor, accountId, params.serviceAccountId)
      return { disabled: true as const }
    }),
    handle(iam.deleteServiceAccount, async ({ accountId, actor, params }) => {
      await deleteServiceAccount(access, actor, accountId, params.serviceAccountId)
      return { deleted: true as const }
    }),
    handle(iam.listAgentIdentities, async ({ accountId, query }) =>
      answerPage(
        await listAgentIdentities(access, accountId, query.cursor),
        (row) => encodeCursor([row.serviceAccountId]),
        (page) => ({
          agents: page.flatMap(({ serviceAccountId, name, projectId, agentName }) =>
            projectId !== null && agentName !== null
              ? [{ service_account_id: serviceAccountId, name, project_id: projectId, agent_name: agentName }]
              : [],
          ),
        }),
      ),
    ),
  ]
}
