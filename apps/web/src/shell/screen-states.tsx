import { Link } from '@tanstack/react-router'
import { Button } from '../ui/button.tsx'
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

/** A file of this build that is no longer there: the server has another build by now. */
const missingFile = /dynamically imported module|module script failed/i

export function ScreenFailed({ error, reset }: { readonly error: unknown; readonly reset: () => void }) {
  if (error instanceof Error && missingFile.test(error.message)) {
    return (
      <Page title="The dashboard has changed">
        <EmptyState
          title="This window shows an earlier version"
          action={
            <Button look="primary" onClick={() => location.reload()}>
              Load the new one
            </Button>
          }
        >
          The server was updated since you opened it, or cannot be reached now.
        </EmptyState>
      </Page>
    )
  }
  return (
    <Page title="This screen failed">
      <ProblemNotice error={error} onRetry={reset} />
    </Page>
  )
}
