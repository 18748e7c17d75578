import type { operations } from '@svc/contract'
import { type Call, invalid, problem } from '../kernel/http/index.ts'
import { newId } from '../kernel/ids/index.ts'
import type { Principal } from '../kernel/principal.ts'
import { isModelProviderKey } from './delivery/model-provider-keys.ts'
import { limitWrites, maxSecrets } from './limit-writes.ts'
import type { Parts } from './parts.ts'
import { placeOfPersonal } from './seal-value.ts'
import { pickMine, readView, toSecret } from './secret-record.ts'
import { countPersonal, deletePersonal, findPersonal, listSecretsByName, lockProject, putPersonal } from './store.ts'

type Ops = typeof operations.secrets

/** Somebody's own value: in their sessions it takes the place of the shared one while it is active. */
export async function setPersonal(parts: Parts, call: Call<Ops['setPersonal']>) {
  const { accountId, projectId, principal, body } = call
  const { database, envelope, clock } = parts.kernel
  const { name } = call.params
  const userId = requirePerson(principal)
  if (isModelProviderKey(name)) throw problem('llm_credentials_project_wide')
  await limitWrites(parts, projectId, userId)
  const mine = await database.transact(call.actor, async (tx) => {
    await lockProject(tx, projectId)
    const current = await findPersonal(tx.db, projectId, userId, name)
    if (!current && body.value === undefined) throw invalid([{ path: 'value', message: 'is required at first' }])
    if (!current && (await countPersonal(tx.db, projectId, userId)) >= maxSecrets) throw problem('secret_limit_reached')
    const personalSecretId = current?.personalSecretId ?? newId()
    const place = placeOfPersonal({ accountId, personalSecretId })
    const sealedValue = body.value === undefined ? current?.sealedValue : await envelope.seal(place, body.value)
    if (!sealedValue) throw new TypeError('a new value of one’s own is never written empty')
    const active = body.active ?? (body.value === undefined ? current?.active : true) ?? true
    const now = clock.now()
    const owner = { accountId, projectId, userId, name }
    const written = { personalSecretId, ...owner, sealedValue, active, createdAt: now, updatedAt: now }
    const row = await putPersonal(tx.db, written)
    await tx.audit({
      action: 'secret.personal.set',
      outcome: 'success',
      resourceType: 'personal_secret',
      resourceId: personalSecretId,
      after: { name, active, rotated: current !== undefined && body.value !== undefined },
    })
    return row
  })
  const [shared] = await listSecretsByName(database.db, projectId, name)
  const identifier = shared?.identifier ?? name
  return toSecret(await readView(parts, call), { identifier, name, shared, mine: pickMine(mine) })
}

/** Removing what is not there is done already. */
export async function removePersonal(parts: Parts, call: Call<Ops['removePersonal']>) {
  const { projectId, principal } = call
  const { name } = call.params
  const userId = requirePerson(principal)
  await parts.kernel.database.transact(call.actor, async (tx) => {
    const current = await findPersonal(tx.db, projectId, userId, name)
    if (!current) return
    await deletePersonal(tx.db, current.personalSecretId)
    await tx.audit({
      action: 'secret.personal.remove',
      outcome: 'success',
      resourceType: 'personal_secret',
      resourceId: current.personalSecretId,
      before: { name, active: current.active },
    })
  })
  return { ok: true as const }
}

/** An agent works for a person but is not one: what it wrote here would reach every later session of that person. */
function requirePerson({ kind, id, agentGrant }: Principal): string {
  if (kind === 'user' && id !== '' && !agentGrant) return id
  throw problem('forbidden', {
    say: 'Only a person has values of their own.',
    next: 'Write a secret of the project instead.',
  })
}
