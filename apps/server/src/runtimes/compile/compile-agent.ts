import { type PlainMap, resolveGrantSet } from '@svc/manifest'
import type { AgentFile } from './read-agent-file.ts'

interface AgentSource {
  readonly enabled: boolean
  /** The manifest's `skills`; undefined when it says nothing. */
  readonly skills: unknown
  readonly file: AgentFile | undefined
}

/** What passes from an agent's file to the runtime under the same name. */
const behaviour = [
  'description',
  'mode',
  'model',
  'variant',
  'temperature',
  'top_p',
  'options',
  'color',
  'steps',
  'hidden',
  'permission',
  'disable',
] as const

/** Governance stands above behaviour: what the manifest says overrides the file. */
export function compileAgent({ enabled, skills, file }: AgentSource): PlainMap {
  const frontMatter = file?.frontMatter ?? {}
  const agent: PlainMap = {}
  for (const key of behaviour) if (frontMatter[key] !== undefined) agent[key] = frontMatter[key]
  const prompt = file?.body.trim() ?? ''
  if (prompt !== '') agent.prompt = prompt
  if (!enabled) agent.disable = true
  if (skills !== undefined) agent.permission = { ...expand(agent.permission), skill: skillRule(skills) }
  return agent
}

/** One word for everything becomes a map, so that one capability can differ. */
function expand(permission: unknown): PlainMap {
  if (typeof permission === 'string') return { '*': permission }
  return typeof permission === 'object' && permission !== null ? { ...permission } : {}
}

/** The last rule that fits decides in the runtime, so the general one comes first. */
function skillRule(skills: unknown): unknown {
  const granted = resolveGrantSet(skills, 'none')
  if (granted === 'all') return 'allow'
  if (granted === 'none' || granted.length === 0) return 'deny'
  return { '*': 'deny', ...Object.fromEntries(granted.map((name) => [name, 'allow'])) }
}
