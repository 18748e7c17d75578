import { openPreview, useSessionPreviews } from '@svc/sdk/react'
import { ExternalLink, RotateCw } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Badge, type Tone } from '../../../../ui/badge.tsx'
import { Button } from '../../../../ui/button.tsx'
import { EmptyState } from '../../../../ui/empty-state.tsx'
import { List, Row } from '../../../../ui/list.tsx'
import { QueryView } from '../../../../ui/query-view.tsx'
import type { PanelProps } from '../panel-props.ts'
import { openInTab } from './open-in-tab.ts'
import { PreviewFrame } from './preview-frame.tsx'

const states: Readonly<Record<string, { readonly tone: Tone; readonly label: string }>> = {
  online: { tone: 'good', label: 'answers' },
  offline: { tone: 'plain', label: 'nothing there' },
}

/** What the machine serves. Each opens on an origin of its own, away from the dashboard. */
export function PreviewsPanel({ projectId, sessionId }: PanelProps) {
  const previews = useSessionPreviews(projectId, sessionId)
  const [port, setPort] = useState<number>()
  if (port !== undefined) {
    return (
      <PreviewFrame
        key={port}
        projectId={projectId}
        sessionId={sessionId}
        port={port}
        onBack={() => setPort(undefined)}
      />
    )
  }
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center gap-2">
        <OtherPort onPick={setPort} />
        <Button
          size="small"
          aria-label="Look again"
          isBusy={previews.isFetching}
          onClick={() => void previews.refetch()}
        >
          <RotateCw className="size-3.5" aria-hidden />
        </Button>
      </div>
      <QueryView query={previews}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState title="Nothing to look at yet">When the agent starts a server, it shows up here.</EmptyState>
          ) : (
            <List label="Previews">
              {rows.map(({ id, label, port: one, status }) => {
                const { tone, label: word } = states[status] ?? { tone: 'plain' as const, label: 'not known' }
                return (
                  <Row key={id} title={label} note={`Port ${one}`}>
                    <Badge tone={tone}>{word}</Badge>
                    <Button size="small" aria-label={`Show ${label}`} onClick={() => setPort(one)}>
                      Show
                    </Button>
                    <Button
                      size="small"
                      aria-label={`Open ${label} in a new tab`}
                      onClick={() => openInTab(openPreview(projectId, sessionId, one))}
                    >
                      <ExternalLink className="size-3.5" aria-hidden />
                    </Button>
                  </Row>
                )
              })}
            </List>
          )
        }
      </QueryView>
    </div>
  )
}

function OtherPort({ onPick }: { readonly onPick: (port: number) => void }) {
  const [text, setText] = useState('')
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  const isPort = port >= 1 && port <= 65_535
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isPort) onPick(port)
  }
  return (
    <form onSubmit={submit} className="flex flex-1 items-center gap-2">
      <input
        aria-label="Another port"
        placeholder="Another port"
        inputMode="numeric"
        value={text}
        onChange={(event) => setText(event.target.value.trim())}
        className="h-7 w-32 rounded-md border border-line-strong bg-surface px-2 text-xs"
      />
      <Button size="small" type="submit" disabled={!isPort}>
        Show
      </Button>
    </form>
  )
}
