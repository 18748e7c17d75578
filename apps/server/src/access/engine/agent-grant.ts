import type { Principal } from '../../kernel/principal.ts'

/** Manifest spellings that stand for a permission of the catalog. */
const spellings: Readonly<Record<string, string>> = {
  'project.cr.open': 'project.gitops.push',
  'project.cr.merge': 'project.gitops.merge',
}

/** What an agent's session may do at most; undefined for a credential that no agent holds. */
export interface GrantLimit {
  readonly agent: string
  readonly actions: 'all' | readonly string[]
  allows(action: string): boolean
}

/** A session's token without a readable grant may do nothing beyond being in its project. */
export function readGrantLimit({ agentGrant, sessionId, isAutomation }: Principal): GrantLimit | undefined {
  if (!agentGrant && sessionId === undefined && !isAutomation) return undefined
  const listed = agentGrant?.svc_cli ?? []
  const actions = listed === 'all' || listed.includes('*') ? 'all' : listed
  return {
    agent: agentGrant?.agent ?? 'this agent',
    actions,
    allows: (action) =>
      action === 'project.read' || actions === 'all' || actions.some((name) => spell(name) === action),
  }
}

function spell(name: string): string {
  return Object.hasOwn(spellings, name) ? (spellings[name] ?? name) : name
}
