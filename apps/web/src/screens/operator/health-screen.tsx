import { useOperatorHealth } from '@svc/sdk/react'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { List, Row } from '../../ui/list.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Section } from '../../ui/section.tsx'

const tones: Readonly<Record<string, Tone>> = { ok: 'good', degraded: 'warn', missing: 'warn', down: 'bad' }
const counts = ['ready', 'scheduled', 'running', 'retrying', 'dead'] as const

export function HealthScreen() {
  const health = useOperatorHealth()
  return (
    <Page title="Health" intro={health.data && `Version ${health.data.version}`}>
      <QueryView query={health}>
        {({ parts, jobs }) => (
          <>
            <Section title="Parts">
              <List label="Parts">
                {parts.map(({ name, status, detail, next }) => (
                  <Row key={name} title={name} note={[detail, next].filter(Boolean).join(' ') || undefined}>
                    <Badge tone={tones[status] ?? 'plain'}>{status}</Badge>
                  </Row>
                ))}
              </List>
            </Section>
            <Section title="Jobs">
              <dl className="grid grid-cols-2 gap-3 sm:grid-cols-5">
                {counts.map((name) => (
                  <div key={name} className="rounded-lg border border-line bg-surface p-4">
                    <dt className="text-ink-soft">{name}</dt>
                    <dd className="text-xl font-semibold">{jobs[name]}</dd>
                  </div>
                ))}
              </dl>
            </Section>
          </>
        )}
      </QueryView>
    </Page>
  )
}
