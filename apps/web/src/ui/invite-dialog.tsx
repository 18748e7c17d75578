import { UserPlus } from 'lucide-react'
import { useState } from 'react'
import { Button } from './button.tsx'
import { SelectField, TextField } from './field.tsx'
import { FormDialog } from './form-dialog.tsx'
import { showToast } from './toasts.tsx'

interface InviteDialogProps<Role extends string> {
  readonly title: string
  readonly roles: readonly { readonly value: Role; readonly label: string }[]
  readonly roleHint: string
  readonly initialRole: Role
  /** What to say once it is done. */
  readonly onInvite: (input: { email: string; role: Role }) => Promise<string>
}

/** Asks whom to invite, and as what. */
export function InviteDialog<Role extends string>(props: InviteDialogProps<Role>) {
  const { title, roles, roleHint, initialRole, onInvite } = props
  const [email, setEmail] = useState('')
  const [role, setRole] = useState(initialRole)
  const submit = async () => {
    const done = await onInvite({ email, role })
    setEmail('')
    showToast(done)
  }
  const pick = (value: string) => setRole(roles.find((one) => one.value === value)?.value ?? initialRole)
  return (
    <FormDialog
      title={title}
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
      <SelectField label="Role" value={role} hint={roleHint} onChange={(event) => pick(event.target.value)}>
        {roles.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
    </FormDialog>
  )
}
