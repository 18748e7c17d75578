import type { BodyOf, operations } from '@svc/contract'
import type { Actor } from '../../kernel/actor.ts'
import type { Tx } from '../../kernel/database/index.ts'
import { problem } from '../../kernel/http/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import { mintToken } from '../../kernel/tokens/index.ts'
import type { Parts } from '../parts.ts'
import { addClient, type ClientRow, changeClient, lockAccountClient, removeClient } from '../store/clients.ts'
import { listLiveTokenIds } from '../store/grants.ts'
import { type ClientRecord, toClientRecord } from './record.ts'

type ClientWithSecret = ClientRecord & { client_secret: string | null }

/** The secret is in this answer and nowhere else: what is stored is its hash. */
export async function createClient(
  { kernel }: Parts,
  actor: Actor,
  accountId: string,
  input: BodyOf<typeof operations.oauth.createClient>,
): Promise<ClientWithSecret> {
  const secret = input.client_type === 'confidential' ? mintToken('svc_ocs_') : null
  return kernel.database.transact(actor, async (tx) => {
    const now = kernel.clock.now()
    const row = await addClient(tx.db, {
      clientId: newId(),
      accountId,
      name: input.name,
      description: input.description ?? null,
      clientType: input.client_type,
      redirectUris: input.redirect_uris,
      scopes: input.scopes,
      secretHash: secret === null ? null : kernel.tokenHasher.hashToken(secret),
      createdAt: now,
      updatedAt: now,
    })
    await tx.audit({ action: 'iam.oauth_client.create', ...about(row), after: summarize(row) })
    return { ...toClientRecord(row), client_secret: secret }
  })
}

/** What a change takes away holds at once: for the app's next request, also with tokens it got before. */
export async function updateClient(
  parts: Parts,
  actor: Actor,
  at: { accountId: string; clientId: string },
  input: BodyOf<typeof operations.oauth.updateClient>,
): Promise<ClientRecord> {
  const { clock, database } = parts.kernel
  return database.transact(actor, async (tx) => {
    const before = await requireClient(tx, at)
    const change = {
      ...(input.name === undefined ? {} : { name: input.name }),
      ...(input.description === undefined ? {} : { description: input.description }),
      ...(input.redirect_uris === undefined ? {} : { redirectUris: input.redirect_uris }),
      ...(input.scopes === undefined ? {} : { scopes: input.scopes }),
      ...(input.active === undefined ? {} : { active: input.active }),
    }
    const row = await changeClient(tx.db, before.clientId, change, clock.now())
    if (change.scopes || change.active !== undefined) await forgetTokens(parts, tx, row.clientId)
    await tx.audit({
      action: 'iam.oauth_client.update',
      ...about(row),
      before: summarize(before),
      after: summarize(row),
    })
    return toClientRecord(row)
  })
}

/** The old secret stops working with the commit; tokens stay. */
export async function rotateSecret(
  { kernel }: Parts,
  actor: Actor,
  at: { accountId: string; clientId: string },
): Promise<ClientWithSecret> {
  return kernel.database.transact(actor, async (tx) => {
    const before = await requireClient(tx, at)
    if (before.clientType === 'public') {
      throw problem('invalid_request', {
        say: 'A public client has no secret.',
        next: 'Register a confidential client if the app can keep one.',
      })
    }
    const secret = mintToken('svc_ocs_')
    const secretHash = kernel.tokenHasher.hashToken(secret)
    const row = await changeClient(tx.db, before.clientId, { secretHash }, kernel.clock.now())
    await tx.audit({ action: 'iam.oauth_client.rotate_secret', ...about(row) })
    return { ...toClientRecord(row), client_secret: secret }
  })
}

export async function deleteClient(
  parts: Parts,
  actor: Actor,
  at: { accountId: string; clientId: string },
): Promise<void> {
  await parts.kernel.database.transact(actor, async (tx) => {
    const row = await requireClient(tx, at)
    await forgetTokens(parts, tx, row.clientId)
    await removeClient(tx.db, row.clientId)
    await tx.audit({ action: 'iam.oauth_client.delete', ...about(row), before: summarize(row) })
  })
}

/** No node answers for one of the client's tokens from memory. */
async function forgetTokens({ kernel, revocations }: Parts, tx: Tx, clientId: string): Promise<void> {
  await revocations.announce(tx, await listLiveTokenIds(tx.db, { clientId }, kernel.clock.now()))
}

async function requireClient(tx: Tx, { accountId, clientId }: { accountId: string; clientId: string }) {
  const row = await lockAccountClient(tx.db, accountId, clientId)
  if (!row) throw problem('not_found')
  return row
}

function about({ accountId, clientId }: ClientRow) {
  return { outcome: 'success', accountId, resourceType: 'oauth_client', resourceId: clientId } as const
}

function summarize({ name, clientType, redirectUris, scopes, active }: ClientRow) {
  return { name, client_type: clientType, redirect_uris: redirectUris, scopes, active }
}
