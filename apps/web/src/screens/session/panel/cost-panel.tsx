import { useSessionCost } from '@svc/sdk/react'
import { List, Row } from '../../../ui/list.tsx'
import { QueryView } from '../../../ui/query-view.tsx'
import { Section } from '../../../ui/section.tsx'
import type { PanelProps } from './panel-props.ts'

const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 })
const count = new Intl.NumberFormat('en')

/** What the session used and what it cost, by model. */
export function CostPanel({ projectId, sessionId }: PanelProps) {
  const cost = useSessionCost(projectId, sessionId)
  return (
    <QueryView query={cost}>
      {(data) => {
        const figures = [
          ['Total', dollars.format(data.total_cost)],
          ['Models', dollars.format(data.llm_cost)],
          ['Machine', dollars.format(data.compute_cost)],
          ['Requests', count.format(data.request_count)],
          ['Tokens in', count.format(data.input_tokens)],
          ['Tokens out', count.format(data.output_tokens)],
        ] as const
        return (
          <div className="flex flex-col gap-6">
            <dl className="grid grid-cols-2 gap-3">
              {figures.map(([name, value]) => (
                <div key={name} className="rounded-md bg-sunken p-3">
                  <dt className="text-xs text-ink-soft">{name}</dt>
                  <dd className="font-semibold tabular-nums">{value}</dd>
                </div>
              ))}
            </dl>
            {data.model_usage.length > 0 && (
              <Section title="By model">
                <List label="By model">
                  {data.model_usage.map(({ provider, model, request_count, cost: spent }) => (
                    <Row
                      key={`${provider}/${model}`}
                      title={model}
                      note={`${count.format(request_count)} ${request_count === 1 ? 'request' : 'requests'}`}
                    >
                      <span className="tabular-nums">{dollars.format(spent)}</span>
                    </Row>
                  ))}
                </List>
              </Section>
            )}
          </div>
        )
      }}
    </QueryView>
  )
}
