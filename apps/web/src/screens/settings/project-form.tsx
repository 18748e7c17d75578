import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { useSending } from '../../ui/use-sending.tsx'

interface ProjectFields {
  readonly name: string
  readonly default_branch: string
  readonly manifest_path: string
}

interface ProjectFormProps {
  readonly project: ProjectFields
  readonly onSave: (input: Partial<ProjectFields>) => Promise<unknown>
}

export function ProjectForm({ project, onSave }: ProjectFormProps) {
  const [name, setName] = useState(project.name)
  const [branch, setBranch] = useState(project.default_branch)
  const [manifest, setManifest] = useState(project.manifest_path)
  const { isBusy, send, problem } = useSending()
  const isChanged = name !== project.name || branch !== project.default_branch || manifest !== project.manifest_path
  const save = (event: FormEvent) => {
    event.preventDefault()
    return send(async () => {
      await onSave({
        ...(name === project.name ? {} : { name }),
        ...(branch === project.default_branch ? {} : { default_branch: branch }),
        ...(manifest === project.manifest_path ? {} : { manifest_path: manifest }),
      })
      showToast('Saved.')
    })
  }
  return (
    <form onSubmit={save} className="flex max-w-lg flex-col gap-2">
      <TextField label="Name" value={name} maxLength={200} onChange={(event) => setName(event.target.value)} />
      <TextField label="Default branch" value={branch} onChange={(event) => setBranch(event.target.value)} />
      <TextField label="Manifest" value={manifest} onChange={(event) => setManifest(event.target.value)} />
      {problem}
      <div>
        <Button look="primary" type="submit" isBusy={isBusy} disabled={!isChanged || name.trim() === ''}>
          Save
        </Button>
      </div>
    </form>
  )
}
