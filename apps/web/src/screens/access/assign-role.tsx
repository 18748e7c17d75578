import type { useAssignments } from '@svc/sdk/react'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { ObjectOptions } from './object-options.tsx'
import { type AccessObject, findObject } from './use-objects.ts'

export interface Principal {
  readonly type: 'user' | 'group' | 'service_account'
  readonly id: string
  readonly label: string
}

interface AssignRoleProps {
  readonly projectId: string
  readonly principals: readonly Principal[]
  readonly roles: readonly { readonly role_id: string; readonly name: string; readonly description: string | null }[]
  readonly objects: readonly AccessObject[]
  readonly onAssign: ReturnType<typeof useAssignments>['create']['mutateAsync']
}

/** Names somebody on one object; it carries no permission, so it is not offered as a role. */
const objectRole = 'builtin:agent-user'
const principalKinds = [
  { type: 'user', label: 'People' },
  { type: 'group', label: 'Groups' },
  { type: 'service_account', label: 'Service accounts' },
] as const

/** Gives somebody a role in the project, or the use of one thing in it, for ever or for a time. */
export function AssignRole({ projectId, principals, roles, objects, onAssign }: AssignRoleProps) {
  const [who, setWho] = useState('')
  const [what, setWhat] = useState('')
  const [until, setUntil] = useState('')
  const offered = roles.filter(({ role_id }) => role_id !== objectRole)
  const principal = principals.find(({ type, id }) => `${type}:${id}` === who)
  const object = findObject(objects, what)
  const role = offered.find(({ role_id }) => role_id === what)
  const submit = async () => {
    if (!principal) return
    await onAssign({
      principal_type: principal.type,
      principal_id: principal.id,
      scope_type: 'project',
      scope_id: projectId,
      ...(object ? { object_type: object.type, object_id: object.id } : { role_id: role?.role_id }),
      ...(until === '' ? {} : { expires_at: new Date(until).toISOString() }),
    })
    showToast('Assigned. It holds from now on.')
  }
  return (
    <FormDialog
      title="Assign"
      submitLabel="Assign"
      isComplete={principal !== undefined && (object !== undefined || role !== undefined)}
      trigger={
        <Button icon={<Plus className="size-4" aria-hidden />} size="small">
          Assign
        </Button>
      }
      onOpen={() => {
        setWho('')
        setWhat('')
        setUntil('')
      }}
      onSubmit={submit}
    >
      <SelectField label="Who" value={who} onChange={(event) => setWho(event.target.value)}>
        <option value="">Choose</option>
        {principalKinds.map(({ type, label }) => (
          <PrincipalOptions key={type} label={label} principals={principals.filter((one) => one.type === type)} />
        ))}
      </SelectField>
      <SelectField
        label="Gets"
        value={what}
        hint={object ? 'May use this one; it needs a role besides.' : (role?.description ?? undefined)}
        onChange={(event) => setWhat(event.target.value)}
      >
        <option value="">Choose</option>
        <optgroup label="Roles in the project">
          {offered.map(({ role_id, name }) => (
            <option key={role_id} value={role_id}>
              {name}
            </option>
          ))}
        </optgroup>
        <ObjectOptions objects={objects} />
      </SelectField>
      <TextField
        label="Until"
        type="datetime-local"
        hint="Empty: until it is revoked"
        value={until}
        onChange={(event) => setUntil(event.target.value)}
      />
    </FormDialog>
  )
}

function PrincipalOptions({
  label,
  principals,
}: {
  readonly label: string
  readonly principals: readonly Principal[]
}) {
  if (principals.length === 0) return null
  return (
    <optgroup label={label}>
      {principals.map(({ type, id, label: name }) => (
        <option key={id} value={`${type}:${id}`}>
          {name}
        </option>
      ))}
    </optgroup>
  )
}
