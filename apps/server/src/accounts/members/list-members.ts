import type { Member } from '@svc/contract'
import type { z } from 'zod'
import { invalid } from '../../kernel/http/index.ts'
import type { Parts } from '../parts.ts'
import { listMemberDetails, listMemberRows, type MemberPosition, type MemberRow } from '../store/members.ts'

export type MemberRecord = z.input<typeof Member>

interface Reader {
  readonly userId: string
  /** Sees the projects, groups and keys of everybody, not only their own. */
  readonly seesAll: boolean
}

/** One more than a page holds tells whether there is a next one. */
export async function listMembers(
  { kernel: { database, clock } }: Parts,
  accountId: string,
  { userId, seesAll }: Reader,
  page: { cursor: string | undefined; limit: number },
): Promise<{ members: MemberRecord[]; next: string | undefined }> {
  const now = clock.now()
  const after = page.cursor === undefined ? undefined : readPosition(page.cursor)
  const rows = await listMemberRows(database.sql, accountId, now, { after, limit: page.limit + 1 })
  const shown = rows.slice(0, page.limit)
  const open = shown.filter((row) => seesAll || row.userId === userId).map((row) => row.userId)
  const details = new Map(
    (await listMemberDetails(database.sql, accountId, open, now)).map((detail) => [detail.userId, detail]),
  )
  const last = rows.length > page.limit ? shown.at(-1) : undefined
  return {
    next: last && writePosition(last),
    members: shown.map(({ userId, email, role, joinedAt }) => {
      const { projects = [], groups = [], activePatCount = 0 } = details.get(userId) ?? {}
      return {
        user_id: userId,
        email,
        account_role: role,
        explicit_project_count: projects.length,
        projects: [...projects],
        groups: [...groups],
        active_pat_count: activePatCount,
        joined_at: joinedAt.toISOString(),
      }
    }),
  }
}

function writePosition({ rank, email }: MemberRow): string {
  return Buffer.from(`${rank} ${email}`).toString('base64url')
}

function readPosition(cursor: string): MemberPosition {
  const [, rank, email] = /^([123]) ([^\0]{1,320})$/u.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (rank !== undefined && email !== undefined) return { rank: Number(rank), email }
  throw invalid([{ path: 'cursor', message: 'must be the value of an earlier X-Next-Cursor header' }])
}
