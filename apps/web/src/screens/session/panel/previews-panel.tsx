import { useSessionPreviews } from '@svc/sdk/react'
import { ExternalLink } from 'lucide-react'
import { Badge, type Tone } from '../../../ui/badge.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { List, Row } from '../../../ui/list.tsx'
import { QueryView } from '../../../ui/query-view.tsx'
import type { PanelProps } from './panel-props.ts'

const tones: Readonly<Record<string, Tone>> = { online: 'good', offline: 'plain', unknown: 'plain' }

/** What the machine serves. Each opens on an origin of its own, away from the dashboard. */
export function PreviewsPanel({ projectId, sessionId }: PanelProps) {
  const previews = useSessionPreviews(projectId, sessionId)
  return (
    <QueryView query={previews}>
      {(rows) =>
        rows.length === 0 ? (
          <EmptyState title="Nothing to look at yet">When the agent starts a server, it shows up here.</EmptyState>
        ) : (
          <List label="Previews">
            {rows.map(({ id, label, port, status, url }) => (
              <Row key={id} title={label} note={`Port ${port}`}>
                <Badge tone={tones[status] ?? 'plain'}>{status}</Badge>
                <a
                  href={url}
                  target="_blank"
                  rel="noopener noreferrer"
                  className="flex h-7 items-center gap-1 rounded-md border border-line-strong px-2 text-xs font-medium hover:bg-sunken"
                >
                  Open <ExternalLink className="size-3.5" aria-hidden />
                </a>
              </Row>
            ))}
          </List>
        )
      }
    </QueryView>
  )
}
