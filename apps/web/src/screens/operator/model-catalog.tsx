import { useOperatorCatalog } from '@svc/sdk/react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Notice, ProblemNotice } from '../../ui/notice.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { Section } from '../../ui/section.tsx'
import { showToast } from '../../ui/toasts.tsx'

type Catalog = NonNullable<ReturnType<typeof useOperatorCatalog>['data']>
type Refresh = NonNullable<Catalog['last_refresh']>

/** Where limits and prices of models come from, how fresh they are, and the button that fetches them. */
export function ModelCatalog() {
  const catalog = useOperatorCatalog()
  const [error, setError] = useState<unknown>()
  const refresh = () => {
    setError(undefined)
    catalog.refresh.mutateAsync().then(
      () => showToast('The model catalog is fresh.'),
      (problem: unknown) => {
        setError(problem)
        void catalog.refetch()
      },
    )
  }
  return (
    <Section title="Model catalog">
      <QueryView query={catalog}>
        {(data) => (
          <div className="flex max-w-lg flex-col gap-3">
            <p>
              Limits and prices of models come with this version ({data.bundled}) and, where they were fetched, from{' '}
              <span className="font-mono text-xs break-all">{data.source}</span>
              {data.schedule === 'daily' ? ', every day.' : '.'} What the models file says counts before either.
            </p>
            <p className="text-ink-soft">
              Last fetched: <RelativeTime at={data.refreshed_at} />
              {data.models > 0 && `, ${data.models} models of ${data.providers} providers`}
            </p>
            {error === undefined && data.last_refresh && <LastRefresh refresh={data.last_refresh} />}
            {error !== undefined && <ProblemNotice error={error} />}
            <div>
              <Button isBusy={catalog.refresh.isPending} onClick={refresh}>
                Refresh catalog
              </Button>
            </div>
          </div>
        )}
      </QueryView>
    </Section>
  )
}

function LastRefresh({ refresh }: { readonly refresh: Refresh }) {
  if (!refresh.ok) {
    return (
      <Notice tone="warn">
        Tried <RelativeTime at={refresh.at} />: {refresh.problem}
      </Notice>
    )
  }
  const { added, changed, repriced, gone, left_out, left_out_entries } = refresh
  return (
    <div>
      <p>
        {added} new, {changed} changed, {repriced} with a new price, {gone} no longer offered, {left_out} left out.
      </p>
      {left_out > 0 && (
        <details className="mt-1">
          <summary className="cursor-pointer">What was left out</summary>
          <ul className="mt-1 list-inside list-disc text-ink-soft">
            {left_out_entries.map(({ entry, reason }) => (
              <li key={`${entry} ${reason}`} className="break-words">
                <span className="font-mono text-xs">{entry}</span>: {reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}
