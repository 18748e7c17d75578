import type { useAuditLog } from '@svc/sdk/react'
import { useState } from 'react'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

type Event = NonNullable<ReturnType<typeof useAuditLog>['data']>['events'][number]

const tones: Readonly<Record<string, Tone>> = { success: 'good', failure: 'bad', denied: 'warn', pending: 'plain' }

/** One event; opened, it shows everything that was recorded. */
export function AuditEventRow({ event }: { readonly event: Event }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <li>
      <details onToggle={(toggled) => setOpen(toggled.currentTarget.open)}>
        <summary className="flex cursor-pointer flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 hover:bg-sunken">
          <code className="min-w-0 flex-1 basis-48 truncate font-mono text-xs">{event.action}</code>
          <span className="text-ink-soft">{describeActor(event)}</span>
          <Badge tone={tones[event.outcome ?? ''] ?? 'plain'}>{event.outcome ?? 'unknown'}</Badge>
          <span className="text-right text-ink-faint sm:w-28">
            <RelativeTime at={event.occurred_at} />
          </span>
        </summary>
        {isOpen && <Fields event={event} />}
      </details>
    </li>
  )
}

function Fields({ event }: { readonly event: Event }) {
  return (
    <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1 bg-sunken px-4 py-3 font-mono text-xs">
      {Object.entries(event)
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-ink-faint">{name}</dt>
            <dd className="break-all whitespace-pre-wrap">{print(value)}</dd>
          </div>
        ))}
    </dl>
  )
}

function describeActor({ agent_name, actor_type }: Event): string {
  return agent_name ?? { human: 'a person', system: 'the platform' }[actor_type ?? ''] ?? actor_type ?? ''
}

function print(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
