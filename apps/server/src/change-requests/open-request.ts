import type { operations } from '@svc/contract'
import { checkBranch, isAncestor, requireBranch } from '../git/index.ts'
import { type Call, invalid, Problem, problem } from '../kernel/http/index.ts'
import { newId } from '../kernel/ids/index.ts'
import { describeAuthor, requireRepositoryAccess } from '../repositories/index.ts'
import { announce } from './announce.ts'
import type { Parts } from './parts.ts'
import { toRecord } from './request-record.ts'
import { addRequest } from './store.ts'

type OpenCall = Call<typeof operations.changeRequests.open>

/** A request to merge one branch into another. The branch must bring something. */
export async function openRequest(parts: Parts, call: OpenCall) {
  const { projectId, accountId, body, principal, actor } = call
  const repository = await parts.repositories.openCurrent(projectId)
  await requireRepositoryAccess(principal, repository)
  const baseRef = checkBranch(body.base_ref ?? repository.defaultBranch)
  const headRef = checkBranch(body.head_ref)
  if (baseRef === headRef) throw invalid([{ path: 'head_ref', message: 'must differ from base_ref' }])
  const [baseSha, headSha] = await Promise.all([
    requireBranch(repository.git, baseRef),
    requireBranch(repository.git, headRef),
  ])
  if (await isAncestor(repository.git, headSha, baseSha)) throw problem('cr_head_not_ahead')
  const originSessionId = await readOrigin(parts, call)
  const row = await parts.kernel.database.transact(actor, async (tx) => {
    const added = await addRequest(tx.db, {
      crId: newId(),
      accountId,
      projectId,
      title: body.title,
      description: body.description ?? '',
      baseRef,
      headRef,
      baseCommitSha: baseSha,
      headCommitSha: headSha,
      originSessionId,
      createdBy: principal.id,
      author: describeAuthor(principal).author,
    })
    await announce(tx, added, 'opened')
    return added
  })
  return toRecord(row)
}

/** A reviewer's feedback becomes a prompt there: nobody names a session that they could not prompt themselves. */
async function readOrigin({ openSession }: Parts, { principal, projectId, body }: OpenCall): Promise<string | null> {
  if (principal.sessionId !== undefined) return principal.sessionId
  if (body.session_id === undefined) return null
  const found = await openSession?.(principal, body.session_id).catch((error: unknown) => {
    // Told like a session of another project: whether there is one is not for this caller to know.
    if (!Problem.isInstance(error)) throw error
    return undefined
  })
  if (found?.projectId === projectId) return body.session_id
  throw invalid([{ path: 'session_id', message: 'must be a session of this project that you may open' }])
}
