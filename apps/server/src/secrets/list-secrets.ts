import type { operations } from '@svc/contract'
import { answer, type Call, invalid } from '../kernel/http/index.ts'
import { grantedIdentifiers } from './agent-reach.ts'
import type { Parts } from './parts.ts'
import { readView, toSecret } from './secret-record.ts'
import { listSecretPage } from './store.ts'

const pageSize = 1000

export async function listSecrets(parts: Parts, call: Call<typeof operations.secrets.list>) {
  const { principal, projectId } = call
  const rows = await listSecretPage(parts.kernel.database.sql, {
    projectId,
    userId: principal.kind === 'user' && principal.id !== '' ? principal.id : null,
    identifiers: grantedIdentifiers(principal),
    after: decodeCursor(call.query.cursor),
    limit: pageSize + 1,
  })
  const view = await readView(parts, call)
  const shown = rows.slice(0, pageSize)
  const last = rows.length > pageSize ? shown.at(-1) : undefined
  const { status, path, error, required, optional } = view.needs
  return answer(
    {
      items: shown.map((row) => toSecret(view, row)),
      required: [...required],
      optional: [...optional],
      can_manage: view.canManage,
      manifest_status: status,
      manifest_path: path,
      ...(error === undefined ? {} : { manifest_error: error }),
    },
    last ? { headers: { 'x-next-cursor': encodeCursor([last.identifier, last.name]) } } : {},
  )
}

/** Neither an identifier nor a name can hold a colon. */
function encodeCursor([identifier, name]: readonly [string, string]): string {
  return `${identifier}:${name}`
}

function decodeCursor(cursor: string | undefined): [string, string] | undefined {
  if (cursor === undefined) return undefined
  const [, identifier, name] = /^([\w.-]{1,128}):(\w{1,128})$/.exec(cursor) ?? []
  if (identifier !== undefined && name !== undefined) return [identifier, name]
  throw invalid([{ path: 'cursor', message: 'must be the value of an earlier X-Next-Cursor header' }])
}
