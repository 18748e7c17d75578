import { oauthScopes, type operations, type ResultOf } from '@svc/contract'
import { type Answer, answer, problem } from '../../kernel/http/index.ts'
import type { Parts } from '../parts.ts'
import { findAccountClient, listClientRows } from '../store/clients.ts'
import { type ClientRecord, toClientRecord } from './record.ts'

const pageSize = 1000

type Page = ResultOf<typeof operations.oauth.listClients>

export async function listClients(
  { kernel }: Parts,
  accountId: string,
  cursor: string | undefined,
): Promise<Answer<Page>> {
  const rows = await listClientRows(kernel.database.db, accountId, cursor, pageSize + 1)
  const shown = rows.slice(0, pageSize)
  const last = rows.length > pageSize ? shown.at(-1) : undefined
  const page = { oauth_clients: shown.map(toClientRecord), scopes_supported: [...oauthScopes] }
  return answer(page, last ? { headers: { 'x-next-cursor': last.clientId } } : {})
}

export async function getClient({ kernel }: Parts, accountId: string, clientId: string): Promise<ClientRecord> {
  const row = await findAccountClient(kernel.database.db, accountId, clientId)
  if (!row) throw problem('not_found')
  return toClientRecord(row)
}
