type Json = Readonly<Record<string, unknown>>

/** pi's tools and the capability of the contract that each needs. Its `find` would fetch a program from the network. */
const needs: Record<string, string> = {
  read: 'read',
  bash: 'bash',
  edit: 'edit',
  write: 'edit',
  grep: 'grep',
  ls: 'list',
}

/**
 * The tools that an agent's permissions leave. pi asks nobody and knows no patterns, so a capability that is not allowed
 * outright is withheld: never more than the agent may do.
 */
export function chooseTools(permission: unknown): string[] {
  return Object.keys(needs).filter((tool) => isAllowed(permission, needs[tool] ?? tool))
}

function isAllowed(permission: unknown, capability: string): boolean {
  if (permission === undefined) return true
  if (typeof permission === 'string') return permission === 'allow'
  const rules = asObject(permission)
  const rule = rules[capability] ?? rules['*'] ?? 'allow'
  if (typeof rule === 'string') return rule === 'allow'
  return Object.values(asObject(rule)).every((action) => action === 'allow')
}

/** Which skills an agent may load: all, none, or these. */
export function chooseSkills(permission: unknown): 'all' | readonly string[] {
  if (permission === undefined) return 'all'
  if (typeof permission === 'string') return permission === 'allow' ? 'all' : []
  const rules = asObject(permission)
  const rule = rules.skill ?? rules['*'] ?? 'allow'
  if (typeof rule === 'string') return rule === 'allow' ? 'all' : []
  const named = Object.entries(asObject(rule)).filter(([, action]) => action === 'allow')
  return named.some(([name]) => name === '*') ? 'all' : named.map(([name]) => name)
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
