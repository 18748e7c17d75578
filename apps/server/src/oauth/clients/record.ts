import type { operations, ResultOf } from '@svc/contract'
import type { ClientRow } from '../store/clients.ts'

export type ClientRecord = ResultOf<typeof operations.oauth.getClient>

export function toClientRecord(row: ClientRow): ClientRecord {
  return {
    client_id: row.clientId,
    name: row.name,
    description: row.description,
    client_type: row.clientType,
    redirect_uris: row.redirectUris,
    scopes: row.scopes,
    active: row.active,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}
