import { useAccountInvites, useAccountMembers, useAccounts } from '@svc/sdk/react'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { List, Row } from '../../ui/list.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Section } from '../../ui/section.tsx'
import { showProblem, showToast } from '../../ui/toasts.tsx'
import { InviteMember } from './invite-member.tsx'

type Members = ReturnType<typeof useAccountMembers>
type Member = NonNullable<Members['data']>[number]

/** The people of an account, their roles, and who is invited. */
export function MembersScreen() {
  const { accountId } = useParams({ from: '/accounts/$accountId' })
  const { data: accounts } = useAccounts()
  const account = accounts?.find(({ account_id }) => account_id === accountId)
  const members = useAccountMembers(accountId)
  const canManage = account?.account_role === 'owner' || account?.account_role === 'admin'
  return (
    <Page
      title="Members"
      actions={
        canManage && (
          <>
            <RenameAccount accountId={accountId} name={account?.name ?? ''} />
            <InviteMember onInvite={members.invite.mutateAsync} />
          </>
        )
      }
    >
      <QueryView query={members}>
        {(rows) => (
          <List label="Members">
            {rows.map((member) => (
              <MemberRow key={member.user_id} member={member} members={members} canManage={canManage} />
            ))}
          </List>
        )}
      </QueryView>
      <LoadMore query={members} />
      {canManage && <Invites accountId={accountId} />}
    </Page>
  )
}

interface MemberRowProps {
  readonly member: Member
  readonly members: Members
  readonly canManage: boolean
}

function MemberRow({ member, members, canManage }: MemberRowProps) {
  const who = member.email ?? member.user_id
  const isOwner = member.account_role === 'owner'
  const change = (role: string) => {
    const next = role === 'admin' ? ('admin' as const) : ('member' as const)
    members.updateRole
      .mutateAsync({ userId: member.user_id, role: next })
      .then(() => showToast('Changed.'), showProblem)
  }
  return (
    <Row
      title={who}
      note={
        <>
          here since <RelativeTime at={member.joined_at} />
          {member.explicit_project_count > 0 &&
            `, in ${member.explicit_project_count} ${member.explicit_project_count === 1 ? 'project' : 'projects'} by name`}
        </>
      }
    >
      {isOwner || !canManage ? (
        <Badge tone={isOwner ? 'accent' : 'plain'}>{member.account_role}</Badge>
      ) : (
        <>
          <select
            aria-label={`Role of ${who}`}
            value={member.account_role}
            onChange={(event) => change(event.target.value)}
            className="h-8 rounded-md border border-line-strong bg-surface px-2"
          >
            <option value="member">member</option>
            <option value="admin">admin</option>
          </select>
          <ConfirmDialog
            title={`Remove ${who}?`}
            description="They lose every project of this account, and their tokens for it end."
            confirmLabel="Remove"
            trigger={<Button size="small">Remove</Button>}
            onConfirm={() => members.remove.mutateAsync(member.user_id)}
          />
        </>
      )}
    </Row>
  )
}

function Invites({ accountId }: { readonly accountId: string }) {
  const invites = useAccountInvites(accountId)
  if (invites.isPending || invites.data?.length === 0) return null
  const act = (work: Promise<unknown>, done: string) => void work.then(() => showToast(done), showProblem)
  return (
    <Section title="Invited, not here yet">
      <QueryView query={invites}>
        {(rows) => (
          <List label="Invitations">
            {rows.map(({ invite_id: inviteId, email, initial_role, expires_at }) => (
              <Row
                key={inviteId}
                title={email}
                note={
                  <>
                    as {initial_role}, ends <RelativeTime at={expires_at} />
                  </>
                }
              >
                <Button size="small" onClick={() => act(invites.resend.mutateAsync(inviteId), 'Sent again.')}>
                  Send again
                </Button>
                <Button size="small" onClick={() => act(invites.cancel.mutateAsync(inviteId), 'Taken back.')}>
                  Take back
                </Button>
              </Row>
            ))}
          </List>
        )}
      </QueryView>
    </Section>
  )
}

function RenameAccount({ accountId, name }: { readonly accountId: string; readonly name: string }) {
  const { rename } = useAccounts()
  const [next, setNext] = useState(name)
  return (
    <FormDialog
      title="Rename the account"
      submitLabel="Rename"
      isComplete={next.trim() !== ''}
      trigger={<Button>Rename</Button>}
      onOpen={() => setNext(name)}
      onSubmit={() => rename.mutateAsync({ accountId, name: next.trim() })}
    >
      <TextField label="Name" value={next} maxLength={200} onChange={(event) => setNext(event.target.value)} />
    </FormDialog>
  )
}
