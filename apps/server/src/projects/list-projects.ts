import type { operations } from '@svc/contract'
import { answer, type Call, invalid } from '../kernel/http/index.ts'
import { isUuid } from '../kernel/ids/index.ts'
import type { Parts } from './parts.ts'
import { toProjects } from './project-record.ts'
import { listProjects } from './store/projects.ts'

type ListCall = Call<typeof operations.projects.list>

const pageSize = 1000

export async function listForCaller(parts: Parts, { principal, accountId, query }: ListCall) {
  const ids = await parts.access.listAccessibleProjects(principal, accountId)
  const found = await listProjects(parts.kernel.database.db, ids, readCursor(query.cursor), pageSize + 1)
  const page = found.slice(0, pageSize)
  const records = await toProjects(
    parts,
    page.map(({ row }) => row),
    principal,
  )
  const last = found.length > pageSize ? page.at(-1) : undefined
  if (!last) return records
  const next = Buffer.from(JSON.stringify([last.updatedAtText, last.row.projectId])).toString('base64url')
  return answer(records, { headers: { 'x-next-cursor': next } })
}

function readCursor(cursor: string | undefined): string[] | undefined {
  if (cursor === undefined) return undefined
  const [updatedAt, projectId] = parseCursor(cursor)
  if (updatedAt !== undefined && !Number.isNaN(Date.parse(updatedAt)) && isUuid(projectId))
    return [updatedAt, projectId]
  throw invalid([{ path: 'cursor', message: 'must be the value of an earlier X-Next-Cursor header' }])
}

function parseCursor(cursor: string): string[] {
  try {
    const keys: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(keys) && keys.every((key) => typeof key === 'string') ? keys : []
  } catch {
    // Not one of ours; the caller says what it expects.
    return []
  }
}
