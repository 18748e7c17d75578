import { Button } from './button.tsx'

interface LoadMoreProps {
  readonly query: { readonly hasNextPage: boolean; readonly isFetchingNextPage: boolean; fetchNextPage(): unknown }
  readonly label?: string
}

/** Below a list that came in part: the way to the rest of it. Nothing once all of it is here. */
export function LoadMore({ query, label = 'Show more' }: LoadMoreProps) {
  if (!query.hasNextPage) return null
  return (
    <div className="flex justify-center">
      <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
        {label}
      </Button>
    </div>
  )
}
