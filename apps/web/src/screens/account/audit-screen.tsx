import { useAuditExport, useAuditLog } from '@svc/sdk/react'
import { useParams } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { PageTurner } from '../../ui/page-turner.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { showProblem } from '../../ui/toasts.tsx'
import { AuditEventRow } from './audit-event-row.tsx'
import { AuditFilterForm, type Filters, noFilters, toQuery } from './audit-filters.tsx'

const pageSize = 50

/** What happened, who did it, and how it ended. The export can be checked without us. */
export function AuditScreen() {
  const { accountId } = useParams({ from: '/accounts/$accountId' })
  const [filters, setFilters] = useState(noFilters)
  const [cursors, setCursors] = useState<readonly string[]>([])
  const log = useAuditLog(accountId, { ...toQuery(filters), cursor: cursors.at(-1), limit: pageSize })
  const exported = useAuditExport(accountId)
  const change = (next: Filters) => {
    setFilters(next)
    setCursors([])
  }
  const download = () => exported.mutateAsync(toQuery(filters)).then(saveCsv).catch(showProblem)
  return (
    <Page
      title="Audit"
      intro="What happened, who did it, and how it ended."
      actions={
        <Button icon={<Download className="size-4" aria-hidden />} isBusy={exported.isPending} onClick={download}>
          Export CSV
        </Button>
      }
    >
      <AuditFilterForm filters={filters} onChange={change} />
      <QueryView query={log}>
        {({ events, next_cursor: next }) => (
          <>
            {events.length === 0 ? (
              <EmptyState title="Nothing matches">Try fewer filters or a longer time.</EmptyState>
            ) : (
              <ul aria-label="Events" className="divide-y divide-line rounded-lg border border-line bg-surface">
                {events.map((event) => (
                  <AuditEventRow key={event.event_id} event={event} />
                ))}
              </ul>
            )}
            <PageTurner
              onNewer={cursors.length === 0 ? undefined : () => setCursors(cursors.slice(0, -1))}
              onOlder={next === null ? undefined : () => setCursors([...cursors, next])}
            />
          </>
        )}
      </QueryView>
    </Page>
  )
}

function saveCsv(csv: string): void {
  const url = URL.createObjectURL(new Blob([csv], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = 'audit.csv'
  link.click()
  URL.revokeObjectURL(url)
}
