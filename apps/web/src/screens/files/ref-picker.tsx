import { useProjectBranches } from '@svc/sdk/react'
import { SelectField } from '../../ui/field.tsx'

interface RefPickerProps {
  readonly projectId: string
  readonly value: string | undefined
  readonly onPick: (ref: string) => void
}

/** A branch to look at. A commit that was opened by its address is kept as a choice of its own. */
export function RefPicker({ projectId, value, onPick }: RefPickerProps) {
  const { data } = useProjectBranches(projectId)
  const branches = data?.branches.map(({ name }) => name) ?? []
  const chosen = value ?? data?.default_branch ?? ''
  const names = chosen === '' || branches.includes(chosen) ? branches : [chosen, ...branches]
  return (
    <div className="w-56 max-w-full">
      <SelectField label="Branch" value={chosen} onChange={(event) => onPick(event.target.value)}>
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </SelectField>
    </div>
  )
}
