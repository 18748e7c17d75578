import type { useProjectAccess } from '@svc/sdk/react'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'

type Role = 'manager' | 'member'
type Invite = ReturnType<typeof useProjectAccess>['invite']['mutateAsync']

export function InvitePerson({ onInvite }: { readonly onInvite: Invite }) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('member')
  const submit = async () => {
    await onInvite({ email, role })
    setEmail('')
    showToast('Done. People without an account here find their invitation below until they accept it.')
  }
  return (
    <FormDialog
      title="Invite to this project"
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
        hint="Managers decide about people, secrets and settings."
        onChange={(event) => setRole(event.target.value as Role)}
      >
        <option value="member">Member</option>
        <option value="manager">Manager</option>
      </SelectField>
    </FormDialog>
  )
}
