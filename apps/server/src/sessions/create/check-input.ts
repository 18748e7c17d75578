import { ConnectorBindings, RuntimeContext, SecretSelection } from '@svc/contract'
import type { ResolvedAgent } from '@svc/manifest'
import type { z } from 'zod'
import { invalid, problem } from '../../kernel/http/index.ts'
import type { Principal } from '../../kernel/principal.ts'
import type { Parts } from '../parts.ts'
import type { Bindings, sessions } from '../schema.ts'
import type { Plan } from './read-plan.ts'

const reservedOnCreate = [
  'deletedAt',
  'deletedBy',
  'opencode_model',
  'opencode_model_source',
  'source',
  'trigger_kind',
  'trigger_slug',
  'name',
  'title_source',
]
const reservedOnUpdate = [...reservedOnCreate, 'workspace_mode', 'sandbox_slug']

export function checkMetadata(metadata: Record<string, unknown> | undefined, during: 'create' | 'update'): void {
  const reserved = during === 'create' ? reservedOnCreate : reservedOnUpdate
  const key = Object.keys(metadata ?? {}).find((name) => reserved.includes(name))
  if (key === undefined) return
  throw problem('validation_failed', {
    say: `metadata key is server-managed: ${key}`,
    extras: { issues: [{ path: `metadata.${key}`, message: 'is server-managed' }] },
  })
}

export const readRuntimeContext = (given: unknown) =>
  readField(RuntimeContext, given, 'runtime_context', 'invalid_session_runtime_context')
export const readBindings = (given: unknown): Bindings | undefined =>
  readField(ConnectorBindings, given, 'connector_bindings', 'invalid_session_connector_bindings')
export const readSelection = (given: unknown) => readField(SecretSelection, given, 'secrets', 'invalid_session_secrets')

function readField<Value>(
  rule: z.ZodType<Value>,
  given: unknown,
  name: string,
  code: 'invalid_session_runtime_context' | 'invalid_session_connector_bindings' | 'invalid_session_secrets',
): Value | undefined {
  if (given === undefined) return undefined
  const parsed = rule.safeParse(given)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map(({ path, message }) => ({ path: [name, ...path].join('.'), message }))
  throw problem(code, { say: `${issues[0]?.path}: ${issues[0]?.message}`, extras: { issues } })
}

/** Where a session came from, as its credential tells; no client says so itself. */
export function originOf({ sessionId, agentGrant, authType }: Principal): (typeof sessions.$inferSelect)['origin'] {
  if (sessionId !== undefined || agentGrant) return 'user'
  return authType === 'service_account' || authType === 'pat' || authType === 'api_key' ? 'backend' : 'user'
}

/** Every identifier names a secret, and no two of them the same environment variable. */
export async function checkSelection(parts: Parts, projectId: string, identifiers: readonly string[]): Promise<void> {
  const known = await parts.secrets.listDelivery(projectId)
  const byName = new Map<string, string>()
  for (const identifier of identifiers) {
    const secret = known.find((row) => row.identifier === identifier)
    if (!secret) {
      throw problem('secret_identifier_not_found', { say: `The project has no secret named ${identifier}.` })
    }
    const other = byName.get(secret.name)
    if (other !== undefined && other !== identifier) {
      throw problem('secret_identifier_key_collision', {
        say: `${other} and ${identifier} are both delivered as ${secret.name}.`,
      })
    }
    byName.set(secret.name, identifier)
  }
}

/** Connections do not exist yet, so no binding can name one; what the agent is not granted is told first. */
export function checkConnectors(
  plan: Pick<Plan, 'resolved'>,
  agent: ResolvedAgent,
  asked: { bindings: Bindings | undefined; required: readonly string[] },
): string[] {
  const isGranted = (slug: string) =>
    agent.connectors === 'all' || (Array.isArray(agent.connectors) && agent.connectors.includes(slug))
  const bound = Object.keys(asked.bindings ?? {})
  const foreign = [...bound, ...asked.required].find((slug) => !isGranted(slug))
  if (foreign !== undefined) {
    throw problem('connector_not_assigned', { say: `The agent ${agent.name} may not use the connector ${foreign}.` })
  }
  const [first] = bound
  if (first !== undefined) {
    throw problem('connector_connection_not_found', { say: `There is no such connection for ${first}.` })
  }
  const required = [...new Set([...asked.required, ...agent.connectorsRequired])]
  const declared = plan.resolved.connectors.entries.map(({ slug }) => slug)
  const missing = required.filter((slug) => !declared.includes(slug))
  if (missing.length === 0) return required
  throw problem('required_connector_connection_unavailable', { extras: { connectors: missing } })
}

/** A picture of the prompt without its attachments, for people who look at the queue. */
export function checkPromptSize(serialized: string): void {
  if (Buffer.byteLength(serialized) <= 12 * 1024 * 1024) return
  throw invalid([{ path: 'parts', message: 'must not exceed 12 MB' }])
}
