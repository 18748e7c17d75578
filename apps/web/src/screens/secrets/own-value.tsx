import type { useProjectSecrets } from '@svc/sdk/react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { showToast } from '../../ui/toasts.tsx'

interface OwnValueProps {
  readonly name: string
  readonly hasOwn: boolean
  readonly hasShared: boolean
  readonly secrets: Pick<ReturnType<typeof useProjectSecrets>, 'setPersonal' | 'removePersonal'>
}

/** A value of one’s own, which takes the place of the shared one in one’s own sessions and nowhere else. */
export function OwnValue({ name, hasOwn, hasShared, secrets: { setPersonal, removePersonal } }: OwnValueProps) {
  const [value, setValue] = useState('')
  const label = hasOwn ? 'Replace yours' : 'Use your own'
  const save = async () => {
    await setPersonal.mutateAsync({ name, value })
    setValue('')
    showToast('Saved. Your sessions use it from now on.')
  }
  return (
    <>
      <FormDialog
        title={`Your own value of ${name}`}
        description="It takes the place of the shared value in the sessions that you start. Nobody else can use or see it."
        submitLabel="Save"
        isComplete={value !== ''}
        onOpen={() => setValue('')}
        onSubmit={save}
        trigger={
          <Button size="small" aria-label={`${label}: ${name}`}>
            {label}
          </Button>
        }
      >
        <TextField
          label="Value"
          type="password"
          value={value}
          autoComplete="off"
          hint="Not shown again once it is saved"
          onChange={(event) => setValue(event.target.value)}
        />
      </FormDialog>
      {hasOwn && (
        <ConfirmDialog
          title={`Remove your own value of ${name}?`}
          description={
            hasShared
              ? 'Your sessions use the shared value again. Yours cannot be brought back.'
              : 'Your sessions go on without it: there is no shared value. Yours cannot be brought back.'
          }
          confirmLabel="Remove yours"
          trigger={
            <Button size="small" aria-label={`Remove yours: ${name}`}>
              Remove yours
            </Button>
          }
          onConfirm={() => removePersonal.mutateAsync(name).then(() => showToast('Removed.'))}
        />
      )}
    </>
  )
}
