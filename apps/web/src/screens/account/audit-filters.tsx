import { SelectField, TextField } from '../../ui/field.tsx'

type Outcome = 'success' | 'failure' | 'denied' | 'pending'
type ActorType = 'human' | 'agent' | 'service_account' | 'system'

export interface Filters {
  readonly q: string
  readonly action: string
  readonly outcome: Outcome | ''
  readonly actorType: ActorType | ''
  readonly since: string
}

export const noFilters: Filters = { q: '', action: '', outcome: '', actorType: '', since: '' }

/** What the server is asked for; empty fields ask for nothing. */
export function toQuery({ q, action, outcome, actorType, since }: Filters) {
  return {
    q: q.trim() || undefined,
    action: action.trim() || undefined,
    outcome: outcome || undefined,
    actorType: actorType || undefined,
    since: since === '' ? undefined : new Date(`${since}T00:00:00`).toISOString(),
  }
}

interface AuditFilterFormProps {
  readonly filters: Filters
  readonly onChange: (filters: Filters) => void
}

export function AuditFilterForm({ filters, onChange }: AuditFilterFormProps) {
  const set = (part: Partial<Filters>) => onChange({ ...filters, ...part })
  return (
    <search className="grid grid-cols-1 gap-3 sm:grid-cols-2 lg:grid-cols-5">
      <TextField label="Search" value={filters.q} onChange={(event) => set({ q: event.target.value })} />
      <TextField
        label="Action"
        placeholder="session"
        value={filters.action}
        onChange={(event) => set({ action: event.target.value })}
      />
      <SelectField
        label="Outcome"
        value={filters.outcome}
        onChange={(event) => set({ outcome: event.target.value as Outcome | '' })}
      >
        <option value="">Any</option>
        <option value="success">Success</option>
        <option value="failure">Failure</option>
        <option value="denied">Denied</option>
        <option value="pending">Pending</option>
      </SelectField>
      <SelectField
        label="Who"
        value={filters.actorType}
        onChange={(event) => set({ actorType: event.target.value as ActorType | '' })}
      >
        <option value="">Anyone</option>
        <option value="human">People</option>
        <option value="agent">Agents</option>
        <option value="service_account">Service accounts</option>
        <option value="system">The platform</option>
      </SelectField>
      <TextField
        label="Since"
        type="date"
        value={filters.since}
        onChange={(event) => set({ since: event.target.value })}
      />
    </search>
  )
}
