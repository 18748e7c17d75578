import { type AccessObject, keyOf } from './use-objects.ts'

const kinds = [
  { type: 'agent', label: 'Agents' },
  { type: 'skill', label: 'Skills' },
  { type: 'secret', label: 'Secrets' },
] as const

/** The objects of a project as choices of a select, by kind. */
export function ObjectOptions({ objects }: { readonly objects: readonly AccessObject[] }) {
  return kinds.map(({ type, label }) => {
    const own = objects.filter((one) => one.type === type)
    if (own.length === 0) return null
    return (
      <optgroup key={type} label={label}>
        {own.map((one) => (
          <option key={keyOf(one)} value={keyOf(one)}>
            {one.label}
          </option>
        ))}
      </optgroup>
    )
  })
}
