import type { operations } from '@svc/contract'
import {
  type GrantSet,
  hasEntry,
  type ManifestText,
  materializeAgents,
  type PlainMap,
  parseManifestText,
  setEntryValue,
} from '@svc/manifest'
import { type Call, invalid, problem } from '../../kernel/http/index.ts'
import type { Parts } from '../parts.ts'

type ScopeCall = Call<typeof operations.projects.setAgentScope>
type Scope = ScopeCall['body']

/** Which secrets and connectors an agent may use: one commit that changes its entry in the manifest. */
export async function setAgentScope(parts: Parts, { projectId, params, body, principal }: ScopeCall) {
  const { agentName } = params
  const required = readRequired(body)
  if (body.env === undefined && body.connectors === undefined && required === undefined) {
    throw problem('nothing_to_update')
  }
  const { text, format } = await parts.repositories.editManifest(projectId, {
    principal,
    message: `Set the scope of agent ${agentName}`,
    action: 'project.agent_scope',
    invalidCode: 'invalid_scope',
    change: (manifest) => changeEntry(manifest, manifest.parsed, agentName, { ...body, connectors_required: required }),
  })
  return { ok: true as const, agent: agentName, ...describeScope(parseManifestText(text, format), agentName) }
}

/** The old spelling is still read; both at once must say the same. */
function readRequired({ connectors_required, connectors_personal }: Scope): string[] | undefined {
  if (connectors_required === undefined || connectors_personal === undefined) {
    return connectors_required ?? connectors_personal
  }
  if (JSON.stringify([...connectors_required].sort()) === JSON.stringify([...connectors_personal].sort())) {
    return connectors_required
  }
  throw invalid([{ path: 'connectors_personal', message: 'must agree with connectors_required, or be left out' }])
}

function changeEntry(source: ManifestText, parsed: PlainMap, agent: string, scope: Scope): string {
  if (!hasEntry(source, 'agents', agent)) throw problem('agent_not_found')
  const isCurrent = parsed.svc_version === 2
  if (!isCurrent && scope.connectors_required !== undefined) {
    throw problem('unsupported_in_v1', { say: 'A manifest of version 1 cannot say which connectors are required.' })
  }
  const { format } = source
  let { text } = source
  const set = (key: string, value: unknown) => {
    text = setEntryValue({ text, format }, 'agents', agent, key, value)
  }
  if (scope.env !== undefined) set(isCurrent ? 'secrets' : 'env', scope.env)
  if (scope.connectors !== undefined) set('connectors', scope.connectors)
  if (scope.connectors_required !== undefined) {
    set('connectors_personal', undefined)
    set('connectors_required', scope.connectors_required)
  }
  return text
}

function describeScope(manifest: PlainMap, agent: string) {
  const entry = materializeAgents(manifest).entries.find(({ name }) => name === agent)
  return {
    env: toList(entry?.secrets ?? 'none'),
    connectors: toList(entry?.connectors ?? 'none'),
    connectors_required: entry?.connectorsRequired ?? [],
  }
}

export function toList(grant: GrantSet): 'all' | string[] {
  return grant === 'none' ? [] : grant
}
