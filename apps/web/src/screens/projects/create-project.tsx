import { useProjects } from '@svc/sdk/react'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { ProblemNotice } from '../../ui/notice.tsx'

/** A new project from a starter: its repository, its manifest and its first commit in one step. */
export function CreateProject({ accountId }: { readonly accountId: string | undefined }) {
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState('')
  const [starter, setStarter] = useState<'general' | 'minimal'>('general')
  const { provision } = useProjects(accountId)
  const navigate = useNavigate()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const made = await provision.mutateAsync({
      name,
      starter_template: starter,
      ...(accountId ? { account_id: accountId } : {}),
    })
    setOpen(false)
    await navigate({ to: '/projects/$projectId', params: { projectId: made.project_id } })
  }
  return (
    <Dialog
      title="New project"
      description="The platform hosts its repository; you can clone it with git at once."
      isOpen={isOpen}
      onOpenChange={setOpen}
      trigger={
        <Button look="primary" icon={<Plus className="size-4" aria-hidden />}>
          New project
        </Button>
      }
    >
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextField
          label="Name"
          required
          maxLength={120}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <SelectField
          label="Starter"
          value={starter}
          onChange={(event) => setStarter(event.target.value === 'minimal' ? 'minimal' : 'general')}
          hint="What the first commit holds. Everything can be changed later."
        >
          <option value="general">General: an agent with skills and examples</option>
          <option value="minimal">Minimal: a manifest and nothing else</option>
        </SelectField>
        {provision.error && <ProblemNotice error={provision.error} />}
        {provision.isPending && <p role="status">Making the repository, its manifest and the first commit…</p>}
        <div className="flex justify-end gap-2">
          <Button onClick={() => setOpen(false)}>Cancel</Button>
          <Button look="primary" type="submit" isBusy={provision.isPending}>
            Create
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
