import type { operations } from '@svc/contract'
import { type Call, invalid, problem, refuseAgents } from '../kernel/http/index.ts'
import { reaches } from './agent-reach.ts'
import { asksForDelivery, asksForEgress } from './delivery/delivery.ts'
import { limitWrites } from './limit-writes.ts'
import type { Parts } from './parts.ts'
import { readView, toSecret, withMine } from './secret-record.ts'
import { deleteSecret, findSecret, lockProject, type SecretRow } from './store.ts'
import { describeSecret, writeSecret } from './write-secret.ts'

type Ops = typeof operations.secrets

/** A new value is used from the commit on; whoever read the old one just before keeps working with it. */
export async function upsertSecret(parts: Parts, call: Call<Ops['upsert']>) {
  const { accountId, projectId, principal } = call
  const { name, value, identifier = name, ...asked } = call.body
  if (asksForDelivery(asked)) refuseAgents(principal, 'change how a secret is delivered')
  if (!reaches(principal, identifier)) throw notGranted()
  if (asksForEgress(asked, undefined)) await parts.features.requireFeature(projectId, 'secrets_egress')
  await limitWrites(parts, projectId)
  const row = await parts.kernel.database.transact(call.actor, async (tx) => {
    await lockProject(tx, projectId)
    const current = await findSecret(tx.db, projectId, identifier)
    if (current && current.name !== name) throw problem('secret_identifier_taken')
    if (!current && value === undefined) throw invalid([{ path: 'value', message: 'is required for a new secret' }])
    const written = await writeSecret(parts, tx, { accountId, projectId, identifier, name, value, asked }, current)
    await tx.audit({
      action: 'secret.upsert',
      outcome: 'success',
      resourceType: 'project_secret',
      resourceId: written.secretId,
      ...(current ? { before: describeSecret(current) } : {}),
      after: describeSecret(written),
      metadata: { created: current === undefined, rotated: current !== undefined && value !== undefined },
    })
    return written
  })
  return describeWritten(parts, call, row)
}

export async function setStrategy(parts: Parts, call: Call<Ops['setStrategy']>) {
  const { accountId, projectId, principal, body } = call
  const { identifier } = call.params
  refuseAgents(principal, 'change how a secret is delivered')
  if (asksForEgress(body, undefined)) await parts.features.requireFeature(projectId, 'secrets_egress')
  await limitWrites(parts, projectId)
  const row = await parts.kernel.database.transact(call.actor, async (tx) => {
    await lockProject(tx, projectId)
    const current = await findSecret(tx.db, projectId, identifier)
    if (!current) throw noSecret()
    const { name } = current
    const change = { accountId, projectId, identifier, name, value: undefined, asked: body }
    const written = await writeSecret(parts, tx, change, current)
    await tx.audit({
      action: 'secret.strategy',
      outcome: 'success',
      resourceType: 'project_secret',
      resourceId: written.secretId,
      before: describeSecret(current),
      after: describeSecret(written),
    })
    return written
  })
  return describeWritten(parts, call, row)
}

export async function removeSecret(parts: Parts, call: Call<Ops['remove']>) {
  const { projectId, principal } = call
  const { identifier } = call.params
  if (!reaches(principal, identifier)) throw noSecret()
  await parts.kernel.database.transact(call.actor, async (tx) => {
    await lockProject(tx, projectId)
    const current = await findSecret(tx.db, projectId, identifier)
    if (!current) throw noSecret()
    await deleteSecret(tx.db, current.secretId)
    await tx.audit({
      action: 'secret.remove',
      outcome: 'success',
      resourceType: 'project_secret',
      resourceId: current.secretId,
      before: describeSecret(current),
    })
  })
  await parts.syncSessions?.(projectId)
  return { ok: true as const }
}

/** The change stands; how far it reached sandboxes that run is told beside it. */
async function describeWritten(parts: Parts, call: Pick<Call, 'principal' | 'projectId' | 'can'>, row: SecretRow) {
  const { kind, id } = call.principal
  const listed = await withMine(parts, kind === 'user' && id !== '' ? id : undefined, row)
  const sync = (await parts.syncSessions?.(call.projectId)) ?? null
  return { ...toSecret(await readView(parts, call), listed), delivery_sync: sync }
}

const noSecret = () => problem('not_found', { say: 'There is no secret with this identifier in the project.' })

const notGranted = () =>
  problem('forbidden', {
    say: 'This agent was not granted a secret with this identifier.',
    next: 'Add the identifier to the agent’s `secrets` in the manifest, or ask a person.',
  })
