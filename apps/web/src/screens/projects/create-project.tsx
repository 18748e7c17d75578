import { type CreateProjectReport, useCreateProject } from '@svc/sdk/react'
import { useNavigate } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { ProblemNotice } from '../../ui/notice.tsx'
import { CreateSteps } from './create-steps.tsx'

/** A new project from a starter. Its steps show as they happen; one that fails after the first leaves a project. */
export function CreateProject({ accountId }: { readonly accountId: string | undefined }) {
  const [isOpen, setOpen] = useState(false)
  const [name, setName] = useState('')
  const [starter, setStarter] = useState<'general' | 'minimal'>('general')
  const [reports, setReports] = useState<readonly CreateProjectReport[]>([])
  const create = useCreateProject()
  const navigate = useNavigate()
  const show = (projectId: string) => navigate({ to: '/projects/$projectId', params: { projectId } })
  const change = (next: boolean) => {
    // What was begun goes on: a window that closed would leave people guessing.
    if (create.isPending) return
    setOpen(next)
    setReports([])
    create.reset()
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const told: CreateProjectReport[] = []
    setReports([])
    const input = { name, starter_template: starter, ...(accountId ? { account_id: accountId } : {}) }
    const onStep = (report: CreateProjectReport) => {
      told.push(report)
      setReports([...told])
    }
    const made = await create.mutateAsync({ input, onStep })
    if (told.every(({ error }) => error === undefined)) await show(made.project_id)
  }
  return (
    <Dialog
      title="New project"
      description="The platform hosts its repository; you can clone it with git at once."
      isOpen={isOpen}
      onOpenChange={change}
      trigger={
        <Button look="primary" icon={<Plus className="size-4" aria-hidden />}>
          New project
        </Button>
      }
    >
      {/* A refusal stands below the fields. */}
      <form onSubmit={(event) => void submit(event).catch(() => undefined)} className="flex flex-col gap-3">
        <TextField
          label="Name"
          required
          maxLength={120}
          value={name}
          disabled={create.isPending}
          onChange={(event) => setName(event.target.value)}
        />
        <SelectField
          label="Starter"
          value={starter}
          disabled={create.isPending}
          onChange={(event) => setStarter(event.target.value === 'minimal' ? 'minimal' : 'general')}
          hint="What the first commit holds. Everything can be changed later."
        >
          <option value="general">General: an agent with skills and examples</option>
          <option value="minimal">Minimal: a manifest and nothing else</option>
        </SelectField>
        {create.error && <ProblemNotice error={create.error} />}
        {(create.isPending || create.data) && <CreateSteps reports={reports} />}
        <div className="flex justify-end gap-2">
          {create.data ? (
            <Button look="primary" onClick={() => void show(create.data.project_id)}>
              Open the project
            </Button>
          ) : (
            <>
              <Button disabled={create.isPending} onClick={() => change(false)}>
                Cancel
              </Button>
              <Button look="primary" type="submit" isBusy={create.isPending}>
                Create
              </Button>
            </>
          )}
        </div>
      </form>
    </Dialog>
  )
}
