import type { Permission } from '@svc/contract'
import { invalid, problem, type Scope } from '../../kernel/http/index.ts'
import type { Principal } from '../../kernel/principal.ts'
import type { Parts } from '../parts.ts'
import { listOwnProjects } from '../store/accounts.ts'
import { managesOwnKeys } from './own-key.ts'

interface Request {
  readonly name: string
  readonly expires_at?: string | null | undefined
  readonly project_id?: string | null | undefined
}

interface Caller {
  readonly principal: Principal
  require(permission: Permission, scope?: Scope): Promise<void>
}

export async function createToken(parts: Parts, accountId: string, request: Request, caller: Caller) {
  const { principal } = caller
  const { database, clock } = parts.kernel
  const expiresAt = request.expires_at ? new Date(request.expires_at) : undefined
  if (expiresAt && expiresAt <= clock.now()) throw invalid([{ path: 'expires_at', message: 'must be in the future' }])
  if (!managesOwnKeys(principal)) await caller.require('token.create')
  const projectId = request.project_id?.toLowerCase()
  if (projectId !== undefined) {
    await requireOwnProject(parts, accountId, projectId)
    await caller.require('project.credentials.issue', { accountId, projectId })
  }
  return database.transact(principal.actor, async (tx) => {
    const owner = principal.kind === 'user' ? { userId: principal.id } : { serviceAccountId: principal.id }
    const kind = projectId === undefined ? 'pat' : 'project'
    const { row, secret } = await parts.identity.mintToken(tx, {
      ...owner,
      kind,
      accountId,
      projectId,
      name: request.name,
      expiresAt,
    })
    await tx.audit({
      action: 'iam.token.create',
      outcome: 'success',
      accountId,
      ...(projectId === undefined ? {} : { projectId }),
      resourceType: 'token',
      resourceId: row.tokenId,
      after: { name: row.name, kind, expires_at: row.expiresAt?.toISOString() ?? null },
    })
    return {
      token_id: row.tokenId,
      name: row.name,
      project_id: row.projectId,
      public_key: row.publicKey,
      secret_key: secret,
      status: row.status,
      expires_at: row.expiresAt?.toISOString() ?? null,
      created_at: row.createdAt.toISOString(),
    }
  })
}

/** One answer whether the project belongs to another account or to none. */
async function requireOwnProject(parts: Parts, accountId: string, projectId: string): Promise<void> {
  const own = await listOwnProjects(parts.kernel.database.sql, accountId, [projectId])
  if (own.length > 0) return
  throw problem('forbidden', {
    say: 'This project does not belong to the account.',
    next: 'Name a project of the account, or the account of the project.',
  })
}
