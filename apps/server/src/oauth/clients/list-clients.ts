import { oauthScopes, type operations, type ResultOf } from '@svc/contract'
import { type Answer, answerPage, pageSize, problem } from '../../kernel/http/index.ts'
import type { Parts } from '../parts.ts'
import { findAccountClient, listClientRows } from '../store/clients.ts'
import { type ClientRecord, toClientRecord } from './record.ts'

type Page = ResultOf<typeof operations.oauth.listClients>

export async function listClients(
  { kernel }: Parts,
  accountId: string,
  cursor: string | undefined,
): Promise<Answer<Page>> {
  const rows = await listClientRows(kernel.database.db, accountId, cursor, pageSize + 1)
  return answerPage(
    rows,
    ({ clientId }) => clientId,
    (shown) => ({ oauth_clients: shown.map(toClientRecord), scopes_supported: [...oauthScopes] }),
  )
}

export async function getClient({ kernel }: Parts, accountId: string, clientId: string): Promise<ClientRecord> {
  const row = await findAccountClient(kernel.database.db, accountId, clientId)
  if (!row) throw problem('not_found')
  return toClientRecord(row)
}
