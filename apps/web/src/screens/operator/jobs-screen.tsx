import { useOperatorJobs } from '@svc/sdk/react'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { List, Row } from '../../ui/list.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Section } from '../../ui/section.tsx'
import { showProblem, showToast } from '../../ui/toasts.tsx'

/** Work in the background: what waits, what runs, and what failed for good. */
export function JobsScreen() {
  const jobs = useOperatorJobs()
  return (
    <Page title="Jobs" intro="Work in the background.">
      <Section title="Failed for good">
        <QueryView query={jobs.dead}>
          {({ jobs: dead }) =>
            dead.length === 0 ? (
              <EmptyState title="None">Jobs that used up their attempts wait here for a decision.</EmptyState>
            ) : (
              <List label="Failed jobs">
                {dead.map((job) => (
                  <Row
                    key={job.job_id}
                    title={<span className="font-mono">{job.name}</span>}
                    note={
                      <>
                        {job.last_error} · {job.attempts} attempts, <RelativeTime at={job.failed_at} />
                      </>
                    }
                  >
                    <Button
                      size="small"
                      onClick={() =>
                        void jobs.retry.mutateAsync(job.job_id).then(() => showToast('It runs again.'), showProblem)
                      }
                    >
                      Run again
                    </Button>
                    <ConfirmDialog
                      title="Discard this job?"
                      description="What it was to do is never done. This cannot be undone."
                      confirmLabel="Discard"
                      trigger={<Button size="small">Discard</Button>}
                      onConfirm={() => jobs.discard.mutateAsync(job.job_id)}
                    />
                  </Row>
                ))}
              </List>
            )
          }
        </QueryView>
        <LoadMore query={jobs.dead} />
      </Section>
      <Section title="By name">
        <QueryView query={jobs.counts}>
          {({ jobs: rows }) =>
            rows.length === 0 ? <EmptyState title="Nothing waits and nothing runs" /> : <JobTable rows={rows} />
          }
        </QueryView>
      </Section>
    </Page>
  )
}

type Counts = NonNullable<ReturnType<typeof useOperatorJobs>['counts']['data']>['jobs'][number]

function JobTable({ rows }: { readonly rows: readonly Counts[] }) {
  const columns = ['ready', 'scheduled', 'running', 'retrying', 'dead'] as const
  return (
    <section
      aria-label="Jobs by name"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
      tabIndex={0}
      className="overflow-x-auto rounded-lg border border-line bg-surface"
    >
      <table className="w-full text-left">
        <thead>
          <tr className="border-b border-line text-ink-soft">
            <th className="px-4 py-2 font-medium">Name</th>
            {columns.map((name) => (
              <th key={name} className="px-4 py-2 text-right font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map((row) => (
            <tr key={row.name}>
              <td className="px-4 py-2 font-mono text-xs">{row.name}</td>
              {columns.map((name) => (
                <td key={name} className="px-4 py-2 text-right tabular-nums">
                  {row[name]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
