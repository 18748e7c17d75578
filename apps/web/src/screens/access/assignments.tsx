import { isApiError } from '@svc/sdk'
import { useAssignments, usePrincipals, useRoles } from '@svc/sdk/react'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { List, Row } from '../../ui/list.tsx'
import { Notice } from '../../ui/notice.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Section } from '../../ui/section.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { AssignRole, type Principal } from './assign-role.tsx'
import { useObjects } from './use-objects.ts'

interface AssignmentsProps {
  readonly accountId: string
  readonly projectId: string
  readonly canManage: boolean
  readonly members: readonly { readonly user_id: string; readonly email?: string | undefined }[]
}

type Assignment = NonNullable<ReturnType<typeof useAssignments>['data']>['assignments'][number]

/** Every rule that gives somebody something here: whom, which role, on what, until when. */
export function Assignments({ accountId, projectId, canManage, members }: AssignmentsProps) {
  const assignments = useAssignments(accountId, { scope_type: 'project', scope_id: projectId })
  const { data: roles } = useRoles(accountId)
  const { groups, serviceAccounts } = usePrincipals(accountId)
  const objects = useObjects(projectId)
  const principals: Principal[] = [
    ...members.map(({ user_id, email }) => ({ type: 'user' as const, id: user_id, label: email ?? user_id })),
    ...(groups.data?.groups ?? []).map(({ group_id, name }) => ({ type: 'group' as const, id: group_id, label: name })),
    ...(serviceAccounts.data?.service_accounts ?? [])
      .filter(({ status }) => status === 'active')
      .map(({ service_account_id, name }) => ({
        type: 'service_account' as const,
        id: service_account_id,
        label: name,
      })),
  ]
  const nameRole = ({ role_id, role_key }: Assignment) =>
    roles?.roles.find((one) => one.role_id === role_id)?.name ?? role_key
  const namePrincipal = ({ principal_type, principal_id }: Assignment) =>
    principals.find(({ type, id }) => type === principal_type && id === principal_id)?.label ?? principal_id
  return (
    <Section
      title="Assignments"
      intro="Every rule that gives somebody something here: a role in the project, or the use of one agent, skill or secret."
      actions={
        canManage && (
          <AssignRole
            projectId={projectId}
            principals={principals}
            roles={roles?.roles.filter(({ resource_type }) => resource_type === 'project') ?? []}
            objects={objects}
            onAssign={assignments.create.mutateAsync}
          />
        )
      }
    >
      {isApiError(assignments.error) && assignments.error.status === 403 ? (
        <Notice>Only people who may read the account’s rules see them here.</Notice>
      ) : (
        <QueryView query={assignments}>
          {({ assignments: rows }) =>
            rows.length === 0 ? (
              <EmptyState title="No assignments">
                Owners and admins of the account reach this project anyway.
              </EmptyState>
            ) : (
              <List label="Assignments">
                {rows.map((row) => (
                  <Row
                    key={row.assignment_id}
                    title={namePrincipal(row)}
                    note={
                      <>
                        {row.principal_type !== 'user' && `${row.principal_type.replace('_', ' ')}, `}
                        given <RelativeTime at={row.created_at} />
                        {row.expires_at && (
                          <>
                            , ends <RelativeTime at={row.expires_at} />
                          </>
                        )}
                      </>
                    }
                  >
                    {row.object_type ? (
                      <Badge>
                        {row.object_type} {row.object_id}
                      </Badge>
                    ) : (
                      <Badge tone="accent">{nameRole(row)}</Badge>
                    )}
                    {row.expires_at && Date.parse(row.expires_at) < Date.now() && <Badge tone="warn">ended</Badge>}
                    {canManage && (
                      <ConfirmDialog
                        title={`Take this from ${namePrincipal(row)}?`}
                        description="It ends at once, in open windows too. You can assign it again."
                        confirmLabel="Revoke"
                        trigger={<Button size="small">Revoke</Button>}
                        onConfirm={() =>
                          assignments.revoke.mutateAsync(row.assignment_id).then(() => showToast('Revoked.'))
                        }
                      />
                    )}
                  </Row>
                ))}
              </List>
            )
          }
        </QueryView>
      )}
    </Section>
  )
}
