import { SelectField } from '../../ui/field.tsx'

interface FallbackOnProps {
  readonly value: 'transient' | 'any-error'
  readonly isOff: boolean
  readonly onChange: (value: 'transient' | 'any-error') => void
}

/** After which failures the next model takes over. */
export function FallbackOn({ value, isOff, onChange }: FallbackOnProps) {
  return (
    <div className="max-w-md">
      <SelectField
        label="Take over"
        value={value}
        disabled={isOff}
        onChange={(event) => onChange(event.target.value === 'any-error' ? 'any-error' : 'transient')}
      >
        <option value="transient">after faults that pass: overload, limits, timeouts</option>
        <option value="any-error">after any failure</option>
      </SelectField>
    </div>
  )
}
