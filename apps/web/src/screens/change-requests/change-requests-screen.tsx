import { useChangeRequests } from '@svc/sdk/react'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { SelectField } from '../../ui/field.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

type Filter = 'open' | 'merged' | 'closed' | 'all'

export const requestTones: Readonly<Record<string, Tone>> = { open: 'good', merged: 'accent', closed: 'plain' }

export function ChangeRequestsScreen() {
  const { projectId } = useParams({ from: '/projects/$projectId' })
  const [filter, setFilter] = useState<Filter>('open')
  const query = useChangeRequests(projectId, filter)
  return (
    <Page title="Change requests" intro="How work on a branch reaches the default branch.">
      <div className="w-40">
        <SelectField label="State" value={filter} onChange={(event) => setFilter(event.target.value as Filter)}>
          <option value="open">Open</option>
          <option value="merged">Merged</option>
          <option value="closed">Closed</option>
          <option value="all">All</option>
        </SelectField>
      </div>
      <QueryView query={query}>
        {({ change_requests: requests }) =>
          requests.length === 0 ? (
            <EmptyState title={filter === 'all' ? 'No change requests yet' : `None that are ${filter}`}>
              A session proposes its work with “Propose changes”; a branch you pushed can be proposed as well.
            </EmptyState>
          ) : (
            <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
              {requests.map((request) => (
                <li key={request.cr_id}>
                  <Link
                    to="/projects/$projectId/change-requests/$crId"
                    params={{ projectId, crId: request.cr_id }}
                    className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3 hover:bg-sunken"
                  >
                    <span className="text-ink-faint">#{request.number}</span>
                    <span className="min-w-0 flex-1 truncate font-medium">{request.title}</span>
                    <Badge tone={requestTones[request.status] ?? 'plain'}>{request.status}</Badge>
                    <span className="text-right text-ink-faint sm:w-28">
                      <RelativeTime at={request.updated_at} />
                    </span>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </QueryView>
      <LoadMore query={query} />
    </Page>
  )
}
