import { useProjectSession } from '@svc/sdk/react'
import { Pencil } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import type { PanelProps } from './panel/panel-props.ts'

/** The name of a session, and the way to another one. */
export function SessionName({ projectId, sessionId, title }: PanelProps & { readonly title: string }) {
  const { update } = useProjectSession(projectId, sessionId)
  const [name, setName] = useState(title)
  return (
    <div className="flex min-w-0 flex-1 basis-40 items-center gap-1">
      <h1 className="min-w-0 truncate text-base font-semibold">{title}</h1>
      <FormDialog
        title="Rename this session"
        submitLabel="Rename"
        trigger={
          <Button size="small" look="quiet" aria-label="Rename">
            <Pencil className="size-3.5" aria-hidden />
          </Button>
        }
        onOpen={() => setName(title)}
        onSubmit={() => update.mutateAsync({ name: name.trim() === '' ? null : name.trim() })}
      >
        <TextField
          label="Name"
          value={name}
          maxLength={500}
          hint="Empty takes the name made from its first prompt."
          onChange={(event) => setName(event.target.value)}
        />
      </FormDialog>
    </div>
  )
}
