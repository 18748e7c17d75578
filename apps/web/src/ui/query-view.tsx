import type { ReactNode } from 'react'
import { ProblemNotice } from './notice.tsx'
import { SkeletonRows } from './skeleton.tsx'

interface Query<Data> {
  readonly data: Data | undefined
  readonly error: Error | null
  readonly isPending: boolean
  refetch(): unknown
}

interface QueryViewProps<Data> {
  readonly query: Query<Data>
  readonly loading?: ReactNode
  readonly children: (data: Data) => ReactNode
}

/** The four states of everything that is read: loading, failed, there; what is known stays while it is read again. */
export function QueryView<Data>({ query, loading, children }: QueryViewProps<Data>) {
  if (query.data !== undefined) {
    return (
      <>
        {query.error && <ProblemNotice error={query.error} onRetry={() => query.refetch()} />}
        {children(query.data)}
      </>
    )
  }
  if (query.error) return <ProblemNotice error={query.error} onRetry={() => query.refetch()} />
  return loading ?? <SkeletonRows />
}
