import { Link } from '@tanstack/react-router'
import { EmptyState } from '../ui/empty-state.tsx'
import { ProblemNotice } from '../ui/notice.tsx'
import { Page } from '../ui/page.tsx'

export function NotFound() {
  return (
    <Page title="Not found">
      <EmptyState
        title="There is nothing at this address"
        action={
          <Link to="/projects" className="font-medium text-accent underline">
            Go to your projects
          </Link>
        }
      />
    </Page>
  )
}

export function ScreenFailed({ error, reset }: { readonly error: unknown; readonly reset: () => void }) {
  return (
    <Page title="This screen failed">
      <ProblemNotice error={error} onRetry={reset} />
    </Page>
  )
}
