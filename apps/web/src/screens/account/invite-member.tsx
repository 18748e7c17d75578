import type { useAccountMembers } from '@svc/sdk/react'
import { InviteDialog } from '../../ui/invite-dialog.tsx'

type Invite = ReturnType<typeof useAccountMembers>['invite']['mutateAsync']

const roles = [
  { value: 'member', label: 'Member' },
  { value: 'admin', label: 'Admin' },
] as const

export function InviteMember({ onInvite }: { readonly onInvite: Invite }) {
  return (
    <InviteDialog
      title="Invite to the account"
      roles={roles}
      roleHint="Admins reach every project of the account."
      initialRole="member"
      onInvite={async (input) => {
        const { status } = await onInvite(input)
        return status === 'added' ? 'Added.' : 'Invited.'
      }}
    />
  )
}
