import type { useAccountMembers } from '@svc/sdk/react'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'

type Role = 'admin' | 'member'
type Invite = ReturnType<typeof useAccountMembers>['invite']['mutateAsync']

export function InviteMember({ onInvite }: { readonly onInvite: Invite }) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  const submit = async () => {
    const { status } = await onInvite({ email, role })
    setEmail('')
    showToast(status === 'added' ? 'Added.' : 'Invited.')
  }
  return (
    <FormDialog
      title="Invite to the account"
      submitLabel="Invite"
      isComplete={email.includes('@')}
      onSubmit={submit}
      trigger={
        <Button look="primary" icon={<UserPlus className="size-4" aria-hidden />}>
          Invite
        </Button>
      }
    >
      <TextField
        label="Mail address"
        type="email"
        value={email}
        autoComplete="off"
        onChange={(event) => setEmail(event.target.value)}
      />
      <SelectField
        label="Role"
        value={role}
        hint="Admins reach every project of the account."
        onChange={(event) => setRole(event.target.value as Role)}
      >
        <option value="member">Member</option>
        <option value="admin">Admin</option>
      </SelectField>
    </FormDialog>
  )
}
