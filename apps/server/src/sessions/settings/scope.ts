import type { operations, ResultOf } from '@svc/contract'
import type { ResolvedAgent } from '@svc/manifest'
import type { Call } from '../../kernel/http/index.ts'
import { openSession } from '../access.ts'
import { checkConnectors, checkSelection, readBindings, readSelection } from '../create/check-input.ts'
import { grantedIdentifiers } from '../lifecycle/delivered-secrets.ts'
import type { Parts } from '../parts.ts'
import { changeSession, type NewSession, type SessionRow } from '../store/sessions.ts'
import { applyScope, readGrant } from './apply-scope.ts'

type Ops = typeof operations.sessions
type Scope = ResultOf<Ops['scope']>

export async function readScope(parts: Parts, call: Call<Ops['scope']>): Promise<Scope> {
  const { row } = await openSession(parts, call)
  return describeScope(row, { detail: 'What the session may use now.' })
}

/** The rows first, then the machine: what is no longer allowed leaves the environment of new shells at once. */
export async function changeScope(parts: Parts, call: Call<Ops['rescope']>): Promise<Scope> {
  const { row } = await openSession(parts, call)
  const { secrets: asked, connector_bindings: bindingsGiven, require_connectors: required } = call.body
  const { plan, agent } = await readGrant(parts, row)
  const selection = readSelection(asked)
  const bindings = bindingsGiven === null ? null : readBindings(bindingsGiven)
  if (selection !== undefined) await checkSelection(parts, row.projectId, selection)
  const requiredConnectors = checkConnectors(plan, agent, {
    bindings: bindings ?? undefined,
    required: required ?? row.requiredConnectors,
  })
  const change: Partial<NewSession> = {
    requiredConnectors,
    ...(selection === undefined ? {} : { secretsAllowlist: selection }),
    ...(bindings === undefined ? {} : { connectorBindings: bindings }),
  }
  const changed = await parts.kernel.database.transact(call.actor, async (tx) => {
    const next = await changeSession(tx.db, row.sessionId, change)
    await tx.audit({
      action: 'session.scope',
      sessionId: row.sessionId,
      resourceType: 'session',
      resourceId: row.sessionId,
      before: { secrets: row.secretsAllowlist },
      after: { secrets: next?.secretsAllowlist ?? null },
    })
    return next ?? row
  })
  const pushed = await pushScope(parts, row.sessionId)
  return describeScope(changed, { ...compareSecrets(agent, row, changed), ...pushed })
}

function compareSecrets(agent: ResolvedAgent, before: SessionRow, after: SessionRow) {
  const list = (row: SessionRow) => {
    const granted = grantedIdentifiers(agent, row.secretsAllowlist)
    return granted === 'all' ? [] : granted
  }
  const [old, now] = [list(before), list(after)]
  return {
    dropped: old.filter((identifier) => !now.includes(identifier)),
    added: now.filter((identifier) => !old.includes(identifier)),
  }
}

/** Into a machine that runs; one that does not gets it with its next boot. */
export async function pushScope(
  parts: Parts,
  sessionId: string,
): Promise<{ isLive: boolean; hasFailed?: boolean; detail: string }> {
  const running = parts.live.find(sessionId)
  if (!running) return { isLive: false, detail: 'Used from the next start on.' }
  try {
    const applied = await applyScope(parts, running)
    const detail =
      applied === 'applied' ? 'New shells of the session have it already.' : 'Used after the turn that runs.'
    return { isLive: true, detail }
  } catch (error) {
    parts.kernel.log.warn('what a session may use did not reach its machine', { session_id: sessionId, error })
    return { isLive: true, hasFailed: true, detail: 'The machine did not take it: it is used from the next start on.' }
  }
}

interface ScopeNews {
  readonly detail: string
  readonly dropped?: readonly string[]
  readonly added?: readonly string[]
  readonly isLive?: boolean
  readonly hasFailed?: boolean
}

function describeScope(row: SessionRow, news: ScopeNews): Scope {
  return {
    secrets_allowlist: row.secretsAllowlist,
    required_connectors: row.requiredConnectors,
    connector_bindings: row.connectorBindings ?? {},
    connector_bindings_configured: row.connectorBindings !== null,
    connector_bindings_inherit_unbound: row.inheritUnbound,
    dropped_secrets: [...(news.dropped ?? [])],
    added_secrets: [...(news.added ?? [])],
    dropped_bindings: [],
    // A process that runs keeps the environment it was started with.
    retroactive: false,
    ...(news.isLive === undefined ? {} : { applied_live: news.isLive && news.hasFailed !== true }),
    ...(news.hasFailed ? { push_failed: true } : {}),
    detail: news.detail,
  }
}
