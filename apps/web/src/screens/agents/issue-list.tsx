import type { ManifestIssue } from '@svc/manifest'
import { Badge } from '../../ui/badge.tsx'

interface IssueListProps {
  readonly issues: readonly ManifestIssue[]
  readonly onJump: (line: number, column: number) => void
}

/** What is wrong with a manifest, each with its place; a click goes there. */
export function IssueList({ issues, onJump }: IssueListProps) {
  if (issues.length === 0) {
    return (
      <p role="status" className="text-good">
        No problems.
      </p>
    )
  }
  return (
    <ul aria-label="Problems" className="divide-y divide-line rounded-md border border-line bg-surface">
      {issues.map(({ path, message, severity, line = 1, column = 1 }) => (
        <li key={`${line}:${column}:${path}:${message}`}>
          <button
            type="button"
            onClick={() => onJump(line, column)}
            className="flex w-full flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2 text-left hover:bg-sunken"
          >
            <Badge tone={severity === 'error' ? 'bad' : 'warn'}>{severity}</Badge>
            <code className="font-mono text-xs text-ink-faint">
              {line}:{column}
            </code>
            <span className="min-w-0 flex-1 basis-48 break-words">{message}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
