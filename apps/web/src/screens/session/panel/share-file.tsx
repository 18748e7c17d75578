import type { useSessionShares } from '@svc/sdk/react'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { SelectField, TextField } from '../../../ui/field.tsx'
import { FormDialog } from '../../../ui/form-dialog.tsx'

type Share = ReturnType<typeof useSessionShares>['create']['mutateAsync']

/** Makes a link to one file, or to what one port serves; the conversation only when asked for. */
export function ShareFile({ onShare }: { readonly onShare: Share }) {
  const [kind, setKind] = useState<'file' | 'preview'>('file')
  const [place, setPlace] = useState('')
  const [withTalk, setWithTalk] = useState(false)
  const isPort = /^\d{1,5}$/.test(place.trim())
  const submit = () =>
    onShare({
      ...(kind === 'file' ? { file: { path: place.trim() } } : { preview: { port: Number(place) } }),
      transcript: withTalk,
    })
  return (
    <FormDialog
      title="New public link"
      description="Anyone who has the link sees this, without signing in, until you end it."
      submitLabel="Create"
      isComplete={kind === 'file' ? place.trim() !== '' : isPort}
      trigger={<Button size="small">New link</Button>}
      onSubmit={submit}
    >
      <SelectField
        label="Show"
        value={kind}
        onChange={(event) => {
          setKind(event.target.value === 'preview' ? 'preview' : 'file')
          setPlace('')
        }}
      >
        <option value="file">A file</option>
        <option value="preview">What a port serves</option>
      </SelectField>
      <TextField
        label={kind === 'file' ? 'Path' : 'Port'}
        inputMode={kind === 'file' ? 'text' : 'numeric'}
        placeholder={kind === 'file' ? 'README.md' : '3000'}
        value={place}
        onChange={(event) => setPlace(event.target.value)}
      />
      <label className="flex items-center gap-2">
        <input type="checkbox" checked={withTalk} onChange={() => setWithTalk(!withTalk)} />
        Show the conversation as well
      </label>
    </FormDialog>
  )
}
