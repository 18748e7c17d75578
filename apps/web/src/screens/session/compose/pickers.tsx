import type { UseSession } from '@svc/sdk/react'

/** Who answers the next prompt. */
export function AgentPicker({ session }: { readonly session: UseSession }) {
  return (
    <Picker
      label="Agent"
      value={session.picks.agent ?? session.defaultAgent ?? ''}
      options={session.agents.map(({ name }) => ({ value: name, label: name }))}
      onPick={session.picks.setAgent}
    />
  )
}

/** With which model. */
export function ModelPicker({ session }: { readonly session: UseSession }) {
  const { model } = session.picks
  return (
    <Picker
      label="Model"
      value={model ? `${model.providerID}/${model.modelID}` : ''}
      options={[
        { value: '', label: 'Default model' },
        ...session.models.map(({ providerID, modelID, name }) => ({ value: `${providerID}/${modelID}`, label: name })),
      ]}
      onPick={(value) => session.picks.setModel(readModel(value))}
    />
  )
}

function readModel(value: string) {
  const slash = value.indexOf('/')
  return slash === -1 ? undefined : { providerID: value.slice(0, slash), modelID: value.slice(slash + 1) }
}

interface PickerProps {
  readonly label: string
  readonly value: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly onPick: (value: string) => void
}

function Picker({ label, value, options, onPick }: PickerProps) {
  if (options.length === 0) return null
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => onPick(event.target.value)}
      className="h-8 max-w-36 truncate rounded-md border border-line bg-surface px-2 text-xs text-ink-soft"
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  )
}
