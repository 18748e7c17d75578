import { randomUUID } from 'node:crypto'
import type { BodyOf, operations } from '@svc/contract'
import type { Tx } from '../../kernel/database/index.ts'
import { answer, type Call, problem } from '../../kernel/http/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import type { Principal } from '../../kernel/principal.ts'
import { settleAll } from '../../kernel/settle-all.ts'
import { readViewer } from '../access.ts'
import { sessionChanged } from '../events.ts'
import type { Parts } from '../parts.ts'
import { queuePrompt } from '../prompts/add-prompt.ts'
import { makeTitle } from '../prompts/make-title.ts'
import { mintMessageId } from '../prompts/message-id.ts'
import { describeSession } from '../session-record.ts'
import {
  addSession,
  findSession,
  lockAccount,
  lockMachines,
  type NewSession,
  type SessionRow,
} from '../store/sessions.ts'
import {
  checkConnectors,
  checkMetadata,
  checkSelection,
  originOf,
  readBindings,
  readRuntimeContext,
  readSelection,
} from './check-input.ts'
import { chooseAgent } from './choose-agent.ts'
import { chooseModel, readAgentModel } from './choose-model.ts'
import { chooseTemplate } from './choose-template.ts'
import { hasCapacity, requireRoom, takeCreation } from './limits.ts'
import { readPlan } from './read-plan.ts'

export type CreateInput = BodyOf<typeof operations.sessions.create>

/** Everything is checked before anything is written; then the row, its first prompt and its audit event stand together. */
export async function createSession(parts: Parts, call: Call<typeof operations.sessions.create>) {
  const draft = await draftSession(parts, call, call.body)
  const headers = await takeCreation(parts, call.projectId)
  const row = await insertSession(parts, call, draft)
  if (row.status === 'queued') {
    const body = { status: 'queued' as const, command_id: row.operationId, session_id: row.sessionId, reason: null }
    return answer(body, { status: 202, headers })
  }
  const viewer = await readViewer(parts, call.principal, call)
  return answer(await describeSession(parts, viewer, row), { headers })
}

export interface Draft {
  readonly input: CreateInput
  /** The agent that the first prompt names, when it names one. */
  readonly promptedAgent: string | undefined
  readonly row: Omit<NewSession, 'status' | 'sandboxProvider'> & { readonly sandboxProvider: string }
}

export interface Creator {
  readonly principal: Principal
  readonly accountId: string
  readonly projectId: string
  readonly actor: Call['actor']
}

export async function draftSession(parts: Parts, creator: Creator, input: CreateInput): Promise<Draft> {
  const { principal, accountId, projectId } = creator
  checkMetadata(input.metadata, 'create')
  const runtimeContext = readRuntimeContext(input.runtime_context)
  const bindings = readBindings(input.connector_bindings)
  const selection = readSelection(input.secrets)
  const origin = originOf(principal)
  if (selection !== undefined && origin !== 'backend') throw problem('origin_override_forbidden')

  const plan = await readPlan(parts, projectId, input.base_ref)
  const agent = await chooseAgent(parts, creator, plan, input.agent_name)
  // A prompt that names another agent runs that one: the caller must be allowed to.
  const asked = input.pending_prompt?.agent
  const [prompted, { model, source }, { slug, provider }, sharing] = await settleAll([
    asked === undefined ? undefined : chooseAgent(parts, creator, plan, asked),
    readAgentModel(parts, plan, agent.name).then((agentModel) =>
      chooseModel(parts, projectId, { request: input.opencode_model, agentModel }),
    ),
    chooseTemplate(parts, projectId, plan, agent, input),
    inheritSharing(parts, principal),
    selection === undefined ? undefined : checkSelection(parts, projectId, selection),
  ])
  const requiredConnectors = checkConnectors(plan, agent, { bindings, required: input.require_connectors ?? [] })
  const sessionId = input.session_id ?? randomUUID()
  return {
    input,
    promptedAgent: prompted?.name,
    row: {
      sessionId,
      accountId,
      projectId,
      branchName: sessionId,
      baseRef: plan.baseRef,
      baseSha: plan.baseSha,
      sandboxProvider: provider,
      sandboxSlug: slug,
      agentName: agent.name,
      runtime: plan.resolved.runtime,
      repositoryAccess: agent.repositoryAccess,
      model,
      modelSource: source,
      customName: input.name?.trim() || null,
      generatedName: makeTitle(input.title_source) ?? null,
      metadata: input.metadata ?? {},
      origin,
      secretsAllowlist: selection ?? null,
      runtimeContext: runtimeContext ?? null,
      connectorBindings: bindings ?? null,
      inheritUnbound: input.inherit_unbound ?? true,
      requiredConnectors,
      ...ownerOf(principal),
      ...sharing,
    },
  }
}

export async function insertSession(
  parts: Parts,
  { actor, principal }: Creator,
  { row, input, promptedAgent }: Draft,
  options: { readonly isWarm?: boolean } = {},
): Promise<SessionRow> {
  const { kernel } = parts
  return kernel.database.transact(actor, async (tx) => {
    await lockAccount(tx, row.accountId)
    await requireRoom(parts, tx.db, row, options.isWarm ? 1 : 0)
    await lockMachines(tx, parts.nodeId)
    const isReady = await hasCapacity(parts, tx.db)
    const added = await addSession(tx.db, {
      ...row,
      status: isReady ? 'provisioning' : 'queued',
      operationId: newId(),
      bootingSince: kernel.clock.now(),
      isWarm: options.isWarm ?? false,
    })
    if (!added) throw problem('session_id_taken')
    await queueFirstPrompts(parts, tx, added, { input, promptedAgent, principal })
    await tx.audit({
      action: options.isWarm ? 'session.warm' : 'session.create',
      sessionId: added.sessionId,
      resourceType: 'session',
      resourceId: added.sessionId,
      metadata: { agent: added.agentName, base_ref: added.baseRef, model: added.model, origin: added.origin },
    })
    await tx.publish(sessionChanged.event(describeChange(added)))
    tx.afterCommit(() => parts.live.wake(added.sessionId))
    return (await findSession(tx.db, added.sessionId)) ?? added
  })
}

export const describeChange = ({ sessionId, projectId, status }: SessionRow) => ({
  session_id: sessionId,
  project_id: projectId,
  status,
})

interface FirstPrompts extends Pick<Draft, 'input' | 'promptedAgent'> {
  readonly principal: Principal
}

async function queueFirstPrompts(
  parts: Parts,
  tx: Tx,
  row: SessionRow,
  { input, promptedAgent, principal }: FirstPrompts,
) {
  const { initial_prompt: initial, pending_prompt: pending } = input
  const mint = () => mintMessageId(parts.kernel.clock.nowMs())
  const common = { remint: true, sentBy: principal.id === '' ? undefined : principal.id }
  if (initial !== undefined && initial !== '') {
    const parts = [{ type: 'text', text: initial }]
    await queuePrompt(tx, row, { ...common, clientMessageId: 'initial', messageId: mint(), parts, origin: 'initial' })
  }
  if (pending === undefined) return
  const { text, parts: given, model, variant } = pending
  await queuePrompt(tx, row, {
    ...common,
    clientMessageId: 'pending',
    messageId: mint(),
    parts: given !== undefined && given.length > 0 ? given : [{ type: 'text', text }],
    overrides: { agent: promptedAgent, model, variant },
    origin: 'pending',
  })
}

function ownerOf({ kind, id }: Principal): Pick<NewSession, 'ownerType' | 'ownerId' | 'createdBy'> {
  if (id === '' || kind === 'anonymous') return { ownerType: null, ownerId: null, createdBy: null }
  return { ownerType: kind, ownerId: id, createdBy: id }
}

/** What an agent starts is shown to whom its own session is shown. */
async function inheritSharing(parts: Parts, { sessionId }: Principal): Promise<Partial<NewSession>> {
  const parent = sessionId === undefined ? undefined : await findSession(parts.kernel.database.db, sessionId)
  if (!parent) return {}
  const { visibility, sharedMembers, sharedGroups } = parent
  return { visibility, sharedMembers, sharedGroups, spawnedBy: parent.sessionId }
}
