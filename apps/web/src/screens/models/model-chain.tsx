import { ArrowUp, X } from 'lucide-react'
import { useId } from 'react'
import { Button } from '../../ui/button.tsx'

interface ModelChainProps {
  readonly label: string
  readonly models: readonly string[]
  readonly choices: readonly string[]
  readonly isOff: boolean
  readonly onChange: (models: string[]) => void
}

const most = 8

/** Models in the order in which they are tried. */
export function ModelChain({ label, models, choices, isOff, onChange }: ModelChainProps) {
  const id = useId()
  const left = choices.filter((one) => !models.includes(one))
  const raise = (at: number) =>
    onChange(models.map((one, index) => models[index === at - 1 ? at : index === at ? at - 1 : index] ?? one))
  return (
    <div className="flex flex-col gap-2">
      {models.length > 0 && (
        <ol aria-label={label} className="flex flex-col gap-1">
          {models.map((model, at) => (
            <li key={model} className="flex items-center gap-2 rounded-md bg-sunken py-1 pr-1 pl-3">
              <span className="text-ink-faint tabular-nums">{at + 1}.</span>
              <code className="min-w-0 flex-1 font-mono text-xs break-all">{model}</code>
              <Button
                size="small"
                look="quiet"
                aria-label={`Try ${model} earlier`}
                disabled={isOff || at === 0}
                onClick={() => raise(at)}
              >
                <ArrowUp className="size-3.5" aria-hidden />
              </Button>
              <Button
                size="small"
                look="quiet"
                aria-label={`Remove ${model}`}
                disabled={isOff}
                onClick={() => onChange(models.filter((one) => one !== model))}
              >
                <X className="size-3.5" aria-hidden />
              </Button>
            </li>
          ))}
        </ol>
      )}
      {!isOff && left.length > 0 && models.length < most && (
        <div>
          <label htmlFor={id} className="sr-only">
            {label}: add a model
          </label>
          <select
            id={id}
            value=""
            onChange={(event) => onChange([...models, event.target.value])}
            className="h-8 max-w-full rounded-md border border-line-strong bg-surface px-2 text-ink-soft"
          >
            <option value="">Add a model…</option>
            {left.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </div>
      )}
      {models.length === 0 && (isOff || left.length === 0) && <p className="text-ink-soft">None.</p>}
    </div>
  )
}
