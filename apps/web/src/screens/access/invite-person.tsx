import type { useProjectAccess } from '@svc/sdk/react'
import { InviteDialog } from '../../ui/invite-dialog.tsx'

type Invite = ReturnType<typeof useProjectAccess>['invite']['mutateAsync']

const roles = [
  { value: 'member', label: 'Member' },
  { value: 'manager', label: 'Manager' },
] as const

export function InvitePerson({ onInvite }: { readonly onInvite: Invite }) {
  return (
    <InviteDialog
      title="Invite to this project"
      roles={roles}
      roleHint="Managers decide about people, secrets and settings."
      initialRole="member"
      onInvite={async (input) => {
        await onInvite(input)
        return 'Done. People without an account here find their invitation below until they accept it.'
      }}
    />
  )
}
