import type { useGatewayRouting } from '@svc/sdk/react'
import { type FormEvent, useState } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { SelectField } from '../../ui/field.tsx'
import { List, Row } from '../../ui/list.tsx'
import { ProblemNotice } from '../../ui/notice.tsx'
import { Section } from '../../ui/section.tsx'
import { formatDollars } from './format-usage.ts'

type Routing = ReturnType<typeof useGatewayRouting>
type Preview = NonNullable<Routing['preview']['data']>

/** Which model would answer, why, and at what price. No model is called. */
export function RoutePreview({ routing, models }: { readonly routing: Routing; readonly models: readonly string[] }) {
  const { preview } = routing
  const [model, setModel] = useState('auto')
  const [hasImage, setImage] = useState(false)
  const ask = (event: FormEvent) => {
    event.preventDefault()
    preview.mutate({ requestedModel: model, imageInput: hasImage })
  }
  return (
    <Section
      title="Who would answer?"
      intro="What happens to a call with the policy that is saved. No model is called."
    >
      <form onSubmit={ask} className="flex flex-wrap items-end gap-x-4 gap-y-2">
        <div className="w-64 max-w-full">
          <SelectField label="A call for" value={model} onChange={(event) => setModel(event.target.value)}>
            <option value="auto">auto: the default model</option>
            {models.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </SelectField>
        </div>
        <label className="flex h-9 items-center gap-2">
          <input type="checkbox" checked={hasImage} onChange={(event) => setImage(event.target.checked)} />
          with a picture
        </label>
        <Button type="submit" isBusy={preview.isPending}>
          Preview
        </Button>
      </form>
      {preview.error && <ProblemNotice error={preview.error} />}
      {preview.data && <PreviewResult {...preview.data} />}
    </Section>
  )
}

const policies: Readonly<Record<string, string>> = {
  direct: 'No rule names it, so nobody takes over for it.',
  'project:default': 'It is the default model; the project’s list says who takes over.',
  'platform:default': 'It is the default model; the platform’s list says who takes over.',
}

function PreviewResult({ route, models }: Preview) {
  return (
    <div className="flex flex-col gap-2" role="status">
      <p>
        <strong className="font-mono">{route.primaryModel}</strong> would answer.{' '}
        <span className="text-ink-soft">
          {policies[route.policyId] ?? 'A rule of the project for this model says who takes over.'}
          {route.fallbackModels.length > 0 &&
            ` They do so ${route.fallbackOn === 'transient' ? 'after faults that pass' : 'after any failure'}, in this order.`}
        </span>
      </p>
      <List label="Models of the route">
        {models.map(({ model, available, reason, cost }, at) => (
          <Row
            key={model}
            title={
              <span>
                {at + 1}. <span className="font-mono">{model}</span>
              </span>
            }
            note={reason ?? undefined}
          >
            <span className="text-ink-soft tabular-nums">{describePrice(cost)}</span>
            <Badge tone={available ? 'good' : 'bad'}>{available ? 'can answer' : 'cannot answer'}</Badge>
          </Row>
        ))}
      </List>
    </div>
  )
}

/** Of a million tokens. */
export function describePrice(cost: { readonly input: number; readonly output: number } | null | undefined): string {
  if (!cost) return 'no known price'
  if (cost.input === 0 && cost.output === 0) return 'free'
  return `${formatDollars(cost.input)} in, ${formatDollars(cost.output)} out per million tokens`
}
