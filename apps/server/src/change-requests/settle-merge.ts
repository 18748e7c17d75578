import { isAncestor, listCommits, type Repository, readBranch } from '../git/index.ts'
import { systemActor } from '../kernel/actor.ts'
import { announce } from './announce.ts'
import type { Parts } from './parts.ts'
import type { MergeIntent } from './schema.ts'
import { type ChangeRequestRow, changeRequest, lockRequest } from './store.ts'

const searchedCommits = 200

/**
 * Finishes or forgets a merge that was cut off between the branch and the record. The branch is the truth: when it holds
 * the commits the merge was about, the request is merged; otherwise nothing happened. Call it under the project's lock:
 * an intent of this server is then one that was cut off. Another server's is left to it while it may be at work.
 */
export async function settleMerge(parts: Parts, row: ChangeRequestRow): Promise<ChangeRequestRow> {
  const intent = row.mergeIntent
  if (!intent || row.status !== 'open' || (await isElsewhere(parts, intent))) return row
  const repository = await parts.repositories.findRepository(row.projectId)
  const mergeCommitSha = await findMerge(repository.git, row.baseRef, intent)
  return parts.kernel.database.transact(systemActor, async (tx) => {
    const locked = await lockRequest(tx.db, row.projectId, row.crId)
    if (!locked?.mergeIntent || locked.status !== 'open') return locked ?? row
    if (mergeCommitSha === undefined) return changeRequest(tx.db, row.crId, { mergeIntent: null })
    const merged = await changeRequest(tx.db, row.crId, {
      status: 'merged',
      mergeIntent: null,
      mergedAt: new Date(intent.at),
      mergedBy: intent.by,
      mergeCommitSha,
      baseCommitSha: intent.base_sha,
      headCommitSha: intent.head_sha,
    })
    await announce(tx, merged, 'merged', { merge_commit_sha: mergeCommitSha, settled_after_crash: true })
    return merged
  })
}

/** Whether another server is merging right now. */
export async function isElsewhere(parts: Parts, { home, until }: MergeIntent): Promise<boolean> {
  return home !== (await parts.repositories.readHome()) && Date.parse(until) > parts.kernel.clock.nowMs()
}

/** The commit that brought the head into the base, when one did: a merge of the two, or the head itself. */
async function findMerge(git: Repository, baseRef: string, intent: MergeIntent): Promise<string | undefined> {
  const tip = await readBranch(git, baseRef)
  if (tip === null || !(await isAncestor(git, intent.head_sha, tip))) return undefined
  const { commits } = await listCommits(git, { ref: tip, limit: searchedCommits })
  const merge = commits.find(
    ({ parents }) => parents[0] === intent.base_sha && parents[1] === intent.head_sha && parents.length === 2,
  )
  return merge?.hash ?? intent.head_sha
}
