import type { useProjectSessions } from '@svc/sdk/react'
import { Link } from '@tanstack/react-router'
import { Badge } from '../../ui/badge.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { SessionState } from '../../ui/session-state.tsx'

type Session = NonNullable<ReturnType<typeof useProjectSessions>['data']>[number]

interface SessionRowsProps {
  readonly projectId: string
  readonly sessions: readonly Session[]
}

const waits: Readonly<Record<string, string>> = { question: 'asks you', permission: 'asks for permission' }

export function SessionRows({ projectId, sessions }: SessionRowsProps) {
  return (
    <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
      {sessions.map((session) => (
        <li key={session.session_id}>
          <Link
            to="/projects/$projectId/sessions/$sessionId"
            params={{ projectId, sessionId: session.session_id }}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3 hover:bg-sunken"
          >
            <span className="min-w-0 flex-1 basis-48 truncate font-medium">{session.name ?? 'Untitled session'}</span>
            {session.waiting_for && <Badge tone="warn">{waits[session.waiting_for]}</Badge>}
            <span className="max-w-40 truncate text-ink-soft">{session.agent_name}</span>
            <SessionState status={session.status} />
            <span className="text-right text-ink-faint sm:w-28">
              <RelativeTime at={session.updated_at} />
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
