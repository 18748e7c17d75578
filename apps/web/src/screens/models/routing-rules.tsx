import type { useGatewayRouting } from '@svc/sdk/react'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/field.tsx'
import { FallbackOn } from './fallback-on.tsx'
import { ModelChain } from './model-chain.tsx'

type Policy = NonNullable<ReturnType<typeof useGatewayRouting>['data']>['project']

interface RoutingRulesProps {
  readonly rules: Policy['rules']
  readonly models: readonly string[]
  readonly isOff: boolean
  readonly onChange: (rules: Policy['rules']) => void
}

/** Fallbacks of models that are asked for by name; one for the default model goes before its own list. */
export function RoutingRules({ rules, models, isOff, onChange }: RoutingRulesProps) {
  const [model, setModel] = useState('')
  const left = models.filter((one) => !rules.some((rule) => rule.model === one))
  const change = (at: number, part: Partial<Policy['rules'][number]>) =>
    onChange(rules.map((rule, index) => (index === at ? { ...rule, ...part } : rule)))
  const add = () => {
    onChange([...rules, { model, fallbackModels: [], fallbackOn: 'transient' }])
    setModel('')
  }
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">Rules for single models</legend>
      {rules.length === 0 && (
        <p className="text-ink-soft">None: a model that is asked for by name answers, or nobody does.</p>
      )}
      {rules.map((rule, at) => (
        <div key={rule.model} className="flex flex-col gap-2 rounded-md border border-line p-3">
          <div className="flex items-center gap-2">
            <code className="min-w-0 flex-1 font-mono text-xs break-all">{rule.model}</code>
            {!isOff && (
              <Button
                size="small"
                aria-label={`Remove the rule for ${rule.model}`}
                onClick={() => onChange(rules.filter((_, index) => index !== at))}
              >
                Remove
              </Button>
            )}
          </div>
          <ModelChain
            label={`Fallbacks of ${rule.model}`}
            models={rule.fallbackModels}
            choices={models.filter((one) => one !== rule.model)}
            isOff={isOff}
            onChange={(fallbackModels) => change(at, { fallbackModels })}
          />
          <FallbackOn value={rule.fallbackOn} isOff={isOff} onChange={(fallbackOn) => change(at, { fallbackOn })} />
        </div>
      ))}
      {!isOff && left.length > 0 && (
        <div className="flex items-end gap-2">
          <div className="w-64 max-w-full min-w-0">
            <SelectField label="A rule for" value={model} onChange={(event) => setModel(event.target.value)}>
              <option value="">Choose a model</option>
              {left.map((one) => (
                <option key={one} value={one}>
                  {one}
                </option>
              ))}
            </SelectField>
          </div>
          <Button disabled={model === ''} icon={<Plus className="size-4" aria-hidden />} onClick={add}>
            Add
          </Button>
        </div>
      )}
    </fieldset>
  )
}
