import { useProjectBranches } from '@svc/sdk/react'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'

interface RefPickerProps {
  readonly projectId: string
  readonly value: string | undefined
  readonly onPick: (ref: string) => void
}

/** Stands for a tag or a commit that is written out. No branch can be called so. */
const another = ' '

/** A branch to look at, or any other ref by its name. One that was opened by its address is a choice of its own. */
export function RefPicker({ projectId, value, onPick }: RefPickerProps) {
  const { data } = useProjectBranches(projectId)
  const [isWriting, setWriting] = useState(false)
  const [text, setText] = useState('')
  const branches = data?.branches.map(({ name }) => name) ?? []
  const chosen = value ?? data?.default_branch ?? ''
  const names = chosen === '' || branches.includes(chosen) ? branches : [chosen, ...branches]
  const pick = (name: string) => {
    setWriting(name === another)
    if (name !== another) onPick(name)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setWriting(false)
    onPick(text.trim())
  }
  return (
    <form onSubmit={submit} className="flex flex-wrap items-end gap-3">
      <div className="w-56 max-w-full">
        <SelectField label="Branch" value={isWriting ? another : chosen} onChange={(event) => pick(event.target.value)}>
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
          <option value={another}>A tag or a commit…</option>
        </SelectField>
      </div>
      {isWriting && (
        <>
          <div className="w-56 max-w-full">
            <TextField
              label="Tag or commit"
              value={text}
              spellCheck={false}
              autoComplete="off"
              autoFocus
              onChange={(event) => setText(event.target.value)}
            />
          </div>
          <Button type="submit" disabled={text.trim() === ''}>
            Show
          </Button>
        </>
      )}
    </form>
  )
}
