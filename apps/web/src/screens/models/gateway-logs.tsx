import { useGatewayLogs } from '@svc/sdk/react'
import { useState } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { SelectField } from '../../ui/field.tsx'
import { List, Row } from '../../ui/list.tsx'
import { PageTurner } from '../../ui/page-turner.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { formatCount, formatDollars } from './format-usage.ts'
import { useModelsProject } from './models-frame.tsx'

const pageSize = 50

/** Every call of a model: which answered, how long it took, what it cost. */
export function CallsScreen() {
  const projectId = useModelsProject()
  const [show, setShow] = useState('')
  const [offset, setOffset] = useState(0)
  const logs = useGatewayLogs(projectId, {
    limit: String(pageSize),
    offset: String(offset),
    ...(show === '' ? {} : { ok: show === 'ok' ? '1' : '0' }),
  })
  return (
    <>
      <div className="w-44">
        <SelectField
          label="Show"
          value={show}
          onChange={(event) => {
            setShow(event.target.value)
            setOffset(0)
          }}
        >
          <option value="">All calls</option>
          <option value="ok">Answered</option>
          <option value="failed">Failed</option>
        </SelectField>
      </div>
      <QueryView query={logs}>
        {({ logs: rows, next_offset: next }) => (
          <>
            {rows.length === 0 ? (
              <EmptyState title="No calls">Start a session, and its calls show up here.</EmptyState>
            ) : (
              <List label="Calls">
                {rows.map((row) => (
                  <Row
                    key={row.log_id}
                    title={row.resolved_model}
                    note={
                      <>
                        {formatCount(row.input_tokens)} in, {formatCount(row.output_tokens)} out,{' '}
                        {formatCount(row.latency_ms)} ms, <RelativeTime at={row.created_at} />
                        {row.error_message && <span className="block text-bad">{row.error_message}</span>}
                      </>
                    }
                  >
                    <span className="tabular-nums">{formatDollars(row.total_cost)}</span>
                    <Badge tone={row.ok ? 'good' : 'bad'}>{row.ok ? 'answered' : (row.error_code ?? row.status)}</Badge>
                  </Row>
                ))}
              </List>
            )}
            <PageTurner
              onNewer={offset === 0 ? undefined : () => setOffset(Math.max(0, offset - pageSize))}
              onOlder={next === null ? undefined : () => setOffset(next)}
            />
          </>
        )}
      </QueryView>
    </>
  )
}
