import type { useProjectAccess } from '@svc/sdk/react'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { List, Row } from '../../ui/list.tsx'
import { showProblem, showToast } from '../../ui/toasts.tsx'

type Access = ReturnType<typeof useProjectAccess>
type Data = NonNullable<Access['data']>
type Member = Data['members'][number]

/** People with access first; members of the account without access are not listed. */
export function MemberRows({ access, data }: { readonly access: Access; readonly data: Data }) {
  const members = data.members.filter(({ effective_project_role: role }) => role !== null)
  if (members.length === 0) return <EmptyState title="Nobody yet">Invite the first person.</EmptyState>
  return (
    <List label="People with access">
      {members.map((member) => (
        <Row
          key={member.user_id}
          title={member.email ?? member.user_id}
          note={<span>{describeSource(member, member.user_id === data.viewer_user_id)}</span>}
        >
          {data.can_manage && member.effective_source === 'direct' && member.project_role !== null ? (
            <DirectRole access={access} member={member} role={member.project_role} />
          ) : (
            <Badge tone="accent">{member.effective_project_role}</Badge>
          )}
        </Row>
      ))}
    </List>
  )
}

function describeSource(member: Member, isViewer: boolean): string {
  const groups = member.group_sources.map(({ group_name }) => group_name).join(', ')
  const by = {
    implicit: `as ${member.account_role} of the account`,
    group: `through ${groups}`,
    direct: 'for this project',
  }
  const text = by[member.effective_source ?? 'direct']
  return isViewer ? `you, ${text}` : text
}

interface DirectRoleProps {
  readonly access: Access
  readonly member: Member
  readonly role: 'manager' | 'member'
}

function DirectRole({ access, member, role }: DirectRoleProps) {
  const who = member.email ?? 'this person'
  const change = (next: string) => {
    const input = { userId: member.user_id, role: next === 'manager' ? ('manager' as const) : ('member' as const) }
    access.update.mutateAsync(input).then(() => showToast('Changed.'), showProblem)
  }
  return (
    <>
      <select
        aria-label={`Role of ${who}`}
        value={role}
        onChange={(event) => change(event.target.value)}
        className="h-8 rounded-md border border-line-strong bg-surface px-2"
      >
        <option value="member">member</option>
        <option value="manager">manager</option>
      </select>
      <ConfirmDialog
        title={`Take access from ${who}?`}
        description="They lose this project at once. You can invite them again."
        confirmLabel="Remove"
        trigger={<Button size="small">Remove</Button>}
        onConfirm={() => access.revoke.mutateAsync(member.user_id)}
      />
    </>
  )
}
