export const stateFilters = {
  all: 'All',
  waiting: 'Needs your answer',
  starting: 'Starting',
  running: 'Running',
  stopped: 'Parked',
  failed: 'Failed',
} as const

export type StateFilter = keyof typeof stateFilters

interface Filtered {
  readonly name: string | null
  readonly agent_name: string
  readonly branch_name: string
  readonly owner_email: string | null
  readonly status: string
  readonly waiting_for: string | null
}

const starting = ['queued', 'branching', 'provisioning']

export function isInState(session: Filtered, state: StateFilter): boolean {
  if (state === 'all') return true
  if (state === 'waiting') return session.waiting_for !== null
  if (state === 'starting') return starting.includes(session.status)
  return session.status === state
}

/** Every word of the search is in the name, the agent, the branch or the owner. */
export function matchesText(session: Filtered, text: string): boolean {
  const { name, agent_name, branch_name, owner_email } = session
  const all = [name, agent_name, branch_name, owner_email].join(' ').toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word))
}

export const isStateFilter = (value: string): value is StateFilter => Object.hasOwn(stateFilters, value)
