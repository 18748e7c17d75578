import { PLATFORM_TEMPLATE_SLUG } from '../constants.ts'
import { type GrantSet, resolveGrantSet } from '../grants.ts'
import { isMap, own, ownMap, ownText, type PlainMap, textsOf } from '../plain-data.ts'
import { agentsV1 } from '../sections/agents-v1.ts'
import { agentsV2 } from '../sections/agents-v2.ts'
import { type EntryProblem, type Materialized, materializeEntries, namedItems } from './check-entries.ts'

/** An agent with every default applied. */
export interface ResolvedAgent {
  name: string
  enabled: boolean
  connectors: GrantSet
  connectorsRequired: string[]
  secrets: GrantSet
  skills: GrantSet
  svcCli: GrantSet
  repositoryAccess: boolean
  /** Slug of the sandbox template; `default` is the platform image. */
  sandbox: string
}

export function materializeAgents(manifest: PlainMap): Materialized<ResolvedAgent> {
  const section = own(manifest, 'agents')
  if (own(manifest, 'svc_version') !== 2) {
    const named = namedItems(section, 'agents', 'name')
    return materializeEntries(manifest, named, agentsV1.items, (entry, name) => resolveV1(manifest, entry, name))
  }
  if (section === undefined || section === null) return { entries: [], problems: [] }
  if (!isMap(section))
    return { entries: [], problems: [{ slug: 'agents', message: 'must be a map keyed by agent name' }] }
  const named = Object.keys(section).map((name) => ({ name, value: section[name] }))
  const result = materializeEntries(manifest, named, agentsV2.values, (entry, name) => resolveV2(manifest, entry, name))
  return refuseBadNames(result)
}

/** Version 1: an agent without an entry is unrestricted. */
export function unrestrictedAgent(manifest: PlainMap, name: string): ResolvedAgent {
  return {
    name,
    enabled: true,
    connectors: 'all',
    connectorsRequired: [],
    secrets: 'all',
    skills: 'all',
    svcCli: 'all',
    repositoryAccess: true,
    sandbox: defaultSandbox(manifest),
  }
}

function resolveV1(manifest: PlainMap, entry: PlainMap, name: string): ResolvedAgent {
  return {
    ...unrestrictedAgent(manifest, name),
    connectors: resolveGrantSet(own(entry, 'connectors'), 'none'),
    secrets: resolveGrantSet(own(entry, 'env'), 'all'),
    svcCli: resolveGrantSet(own(entry, 'svc_cli'), 'none'),
  }
}

function resolveV2(manifest: PlainMap, entry: PlainMap, name: string): ResolvedAgent {
  return {
    name,
    enabled: own(entry, 'enabled') !== false,
    connectors: resolveGrantSet(own(entry, 'connectors'), 'none'),
    connectorsRequired: textsOf(own(entry, 'connectors_required') ?? own(entry, 'connectors_personal')),
    secrets: resolveGrantSet(own(entry, 'secrets'), 'none'),
    skills: resolveGrantSet(own(entry, 'skills'), 'none'),
    svcCli: resolveGrantSet(own(entry, 'svc_cli'), 'none'),
    repositoryAccess: resolveRepositoryAccess(entry),
    sandbox: ownText(entry, 'sandbox') ?? defaultSandbox(manifest),
  }
}

/** The legacy `read` never meant read-only access: it gives none until `repository_access` is chosen. */
function resolveRepositoryAccess(entry: PlainMap): boolean {
  const chosen = own(entry, 'repository_access')
  if (typeof chosen === 'boolean') return chosen
  const workspace = own(entry, 'workspace')
  return workspace === undefined || workspace === 'branch'
}

function defaultSandbox(manifest: PlainMap): string {
  return ownText(ownMap(manifest, 'sandbox') ?? {}, 'default') || PLATFORM_TEMPLATE_SLUG
}

function refuseBadNames(result: Materialized<ResolvedAgent>): Materialized<ResolvedAgent> {
  const pattern = agentsV2.keys?.pattern
  const isGood = (agent: ResolvedAgent) => pattern === undefined || pattern.regexp.test(agent.name)
  const bad = result.entries.filter((agent) => !isGood(agent))
  const problems = bad.map(
    (agent): EntryProblem => ({ slug: agent.name, message: `this name must be ${pattern?.says}` }),
  )
  return { entries: result.entries.filter(isGood), problems: [...result.problems, ...problems] }
}
