import { operations, permissionCatalog } from '@svc/contract'
import { answerPage, encodeCursor, type Handled, handle } from '../kernel/http/index.ts'
import type { Access } from './access.ts'
import { createAssignment } from './assignments/create-assignment.ts'
import { listAssignments } from './assignments/list-assignments.ts'
import { toRecord } from './assignments/record.ts'
import { revokeAssignment } from './assignments/revoke-assignment.ts'
import { explainProbe, hideForeignProject, standInFor } from './explain.ts'
import { groupRoutes } from './groups/routes.ts'
import { roleRoutes } from './roles/routes.ts'
import { serviceAccountRoutes } from './service-accounts/routes.ts'

export function accessRoutes(access: Access): Handled[] {
  const { iam } = operations
  const { database, clock } = access.kernel
  return [
    handle(iam.listAssignments, async ({ accountId, query }) => {
      const rows = await listAssignments(database.db, accountId, query, clock.now())
      return answerPage(
        rows,
        ({ row, createdAtText }) => encodeCursor([createdAtText, row.assignmentId]),
        (page) => ({ assignments: page.map(({ row, customKey }) => toRecord(row, customKey)) }),
      )
    }),
    handle(iam.createAssignment, (call) => createAssignment(access, call, call.accountId, call.body)),
    handle(iam.revokeAssignment, async (call) => {
      const assignment = await revokeAssignment(access, call, call.accountId, call.params.assignmentId)
      return { revoked: true as const, assignment }
    }),
    handle(iam.listPermissions, ({ query }) => {
      const wanted = permissionCatalog.filter((row) => !query.scope_type || row.scope_type === query.scope_type)
      return { permissions: wanted.map((row) => ({ ...row })) }
    }),
    ...roleRoutes(access),
    ...groupRoutes(access),
    ...serviceAccountRoutes(access),
    handle(iam.explain, async (call) => {
      const { probes, principal: other } = call.body
      const isOther = other !== undefined && other.id.toLowerCase() !== call.principal.id
      if (isOther) await call.require('policy.read')
      const principal = isOther ? standInFor(call.principal, other.type, other.id, call.accountId) : call.principal
      const results = []
      for (const probe of probes) {
        const asked = isOther ? await hideForeignProject(access, call.accountId, probe) : probe
        results.push(await explainProbe(access, principal, call.accountId, asked))
      }
      return { results }
    }),
  ]
}
