import { useOperatorSandboxes } from '@svc/sdk/react'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { List, Row } from '../../ui/list.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { showToast } from '../../ui/toasts.tsx'

type Query = ReturnType<typeof useOperatorSandboxes>
type Sandbox = NonNullable<Query['data']>['sandboxes'][number]

/** The machines that agents run in: whose they are, how they are, what they use. */
export function SandboxesScreen() {
  const sandboxes = useOperatorSandboxes()
  return (
    <Page
      title="Sandboxes"
      intro="The machines that agents run in. A stopped one keeps its disk for when its session goes on."
      actions={
        <Button isBusy={sandboxes.isRefetching} onClick={() => void sandboxes.refetch()}>
          Read again
        </Button>
      }
    >
      <QueryView query={sandboxes}>
        {({ sandboxes: rows }) =>
          rows.length === 0 ? (
            <EmptyState title="No machines">The first session makes one.</EmptyState>
          ) : (
            <>
              <p className="text-ink-soft">{describeAll(rows, sandboxes.hasNextPage)}</p>
              <List label="Sandboxes">
                {rows.map((row) => (
                  <SandboxRow key={row.sandbox_id} sandbox={row} onDestroy={sandboxes.destroy.mutateAsync} />
                ))}
              </List>
              <LoadMore query={sandboxes} />
            </>
          )
        }
      </QueryView>
    </Page>
  )
}

const states: Readonly<Record<Sandbox['status'], { readonly tone: Tone; readonly label: string }>> = {
  provisioning: { tone: 'warn', label: 'starting' },
  active: { tone: 'good', label: 'running' },
  stopped: { tone: 'plain', label: 'stopped' },
  error: { tone: 'bad', label: 'failed' },
}

interface SandboxRowProps {
  readonly sandbox: Sandbox
  readonly onDestroy: Query['destroy']['mutateAsync']
}

function SandboxRow({ sandbox, onDestroy }: SandboxRowProps) {
  const { tone, label } = states[sandbox.status]
  const isWarm = sandbox.session_id === null
  return (
    <Row
      title={isWarm ? 'Waiting for a session' : (sandbox.project_name ?? 'A project that is gone')}
      note={
        <>
          <span className="block font-mono text-xs break-all">{sandbox.sandbox_id}</span>
          {sandbox.provider}, {sandbox.template}, {sandbox.cpu} cores, made <RelativeTime at={sandbox.created_at} />,
          used <RelativeTime at={sandbox.last_used_at} />
          {sandbox.status_detail && <span className="block text-bad">{sandbox.status_detail}</span>}
        </>
      }
    >
      {sandbox.memory_bytes !== null && (
        <span className="text-ink-soft tabular-nums">
          {describeMemory(sandbox.memory_bytes)} of {describeMemory(sandbox.memory_limit_bytes)}
          {sandbox.processes !== null && `, ${sandbox.processes} processes`}
        </span>
      )}
      <Badge tone={tone}>{label}</Badge>
      <ConfirmDialog
        title="Remove this machine?"
        description={
          isWarm
            ? 'Nobody uses it. Another one takes its place in the pool.'
            : 'Its session is parked, and what was not committed there is lost. When it goes on, it gets a new machine from its branch and a new conversation.'
        }
        confirmLabel="Remove"
        trigger={
          <Button size="small" aria-label={`Remove the machine ${sandbox.sandbox_id}`}>
            Remove
          </Button>
        }
        onConfirm={() => onDestroy(sandbox.sandbox_id).then(() => showToast('Removed.'))}
      />
    </Row>
  )
}

function describeAll(rows: readonly Sandbox[], hasMore: boolean): string {
  const running = rows.filter(({ status }) => status === 'active')
  const used = running.reduce((sum, { memory_bytes }) => sum + (memory_bytes ?? 0), 0)
  const counted = hasMore ? `the newest ${rows.length}` : String(rows.length)
  return `${running.length} of ${counted} run, with ${describeMemory(used)} of memory together.`
}

function describeMemory(bytes: number): string {
  const mib = bytes / 1024 ** 2
  return mib < 1024 ? `${Math.round(mib)} MiB` : `${(mib / 1024).toFixed(1)} GiB`
}
