import { useGatewayFigures } from '@svc/sdk/react'
import { useState } from 'react'
import { EmptyState } from '../../ui/empty-state.tsx'
import { SelectField } from '../../ui/field.tsx'
import { List, Row } from '../../ui/list.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Section } from '../../ui/section.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { DayChart } from './day-chart.tsx'
import { formatCount, formatDollars } from './format-usage.ts'
import { useModelsProject } from './models-frame.tsx'

export function FiguresScreen() {
  const projectId = useModelsProject()
  const [days, setDays] = useState(30)
  const { overview, series, breakdown } = useGatewayFigures(projectId, days)
  return (
    <>
      <div className="w-44">
        <SelectField label="Time" value={days} onChange={(event) => setDays(Number(event.target.value))}>
          <option value={7}>Last 7 days</option>
          <option value={30}>Last 30 days</option>
          <option value={90}>Last 90 days</option>
        </SelectField>
      </div>
      <QueryView query={overview} loading={<SkeletonRows rows={1} height="h-20" />}>
        {(sum) => (
          <dl className="grid grid-cols-2 gap-3 sm:grid-cols-5">
            <Figure name="Cost" value={formatDollars(sum.total_cost)} />
            <Figure name="Calls" value={formatCount(sum.requests)} />
            <Figure name="Failed" value={formatCount(sum.errors)} />
            <Figure name="Tokens in" value={formatCount(sum.input_tokens)} />
            <Figure name="Tokens out" value={formatCount(sum.output_tokens)} />
          </dl>
        )}
      </QueryView>
      <Section title="By day">
        <QueryView query={series} loading={<SkeletonRows rows={1} height="h-48" />}>
          {({ series: rows }) => (rows.length === 0 ? <EmptyState title="No calls yet" /> : <DayChart rows={rows} />)}
        </QueryView>
      </Section>
      <Section title="By model">
        <QueryView query={breakdown}>
          {({ models }) =>
            models.length === 0 ? (
              <EmptyState title="No calls yet">Start a session, and its calls show up here.</EmptyState>
            ) : (
              <List label="By model">
                {models.map((row) => (
                  <Row
                    key={`${row.provider}/${row.model}`}
                    title={row.model}
                    note={`${formatCount(row.requests)} calls, ${formatCount(row.tokens)} tokens`}
                  >
                    <span className="tabular-nums">{formatDollars(row.cost)}</span>
                  </Row>
                ))}
              </List>
            )
          }
        </QueryView>
      </Section>
    </>
  )
}

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="rounded-lg border border-line bg-surface p-4">
      <dt className="text-ink-soft">{name}</dt>
      <dd className="text-lg font-semibold break-words tabular-nums">{value}</dd>
    </div>
  )
}
