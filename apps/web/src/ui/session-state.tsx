import { Badge, type Tone } from './badge.tsx'

const states: Readonly<Record<string, { readonly tone: Tone; readonly label: string }>> = {
  queued: { tone: 'warn', label: 'waiting for a machine' },
  branching: { tone: 'warn', label: 'starting' },
  provisioning: { tone: 'warn', label: 'starting' },
  running: { tone: 'good', label: 'running' },
  stopped: { tone: 'plain', label: 'parked' },
  failed: { tone: 'bad', label: 'failed' },
  completed: { tone: 'plain', label: 'done' },
}

export function SessionState({ status }: { readonly status: string }) {
  const { tone, label } = states[status] ?? { tone: 'plain' as const, label: status }
  return <Badge tone={tone}>{label}</Badge>
}
