import type { operations } from '@svc/contract'
import { GitError, type MergeResult, mergeBranches, requireBranch } from '../git/index.ts'
import { type Call, Problem, problem } from '../kernel/http/index.ts'
import {
  describeAuthor,
  type ProjectRepository,
  readManifest,
  recordChange,
  requireRepositoryAccess,
} from '../repositories/index.ts'
import { announce } from './announce.ts'
import type { Parts } from './parts.ts'
import { toRecord } from './request-record.ts'
import type { MergeIntent } from './schema.ts'
import { settleMerge } from './settle-merge.ts'
import { type ChangeRequestRow, changeRequest, findRequest, lockRequest } from './store.ts'

/** Longer than any merge takes, the push to another host included. */
const leaseMs = 10 * 60_000
const maxTries = 5

type MergeCall = Call<typeof operations.changeRequests.merge>

/**
 * Merges exactly the commits that were looked at, or nothing. What is meant is written down before the branch moves, so
 * that a crash at any point is settled to merged or not merged, and never to both.
 */
export async function mergeRequest(parts: Parts, call: MergeCall) {
  const { expected_head_sha, expected_base_sha } = call.body
  const isFree = expected_head_sha === undefined && expected_base_sha === undefined
  return parts.repositories.withLock(call.projectId, async () => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await mergeNow(parts, call)
      } catch (error) {
        // Another server moved a branch meanwhile. Whoever named no commits wants whatever is there now.
        const isStale = Problem.isInstance(error) && error.code === 'stale_preview'
        if (!isStale || !isFree || tries >= maxTries) throw error
      }
    }
  })
}

async function mergeNow(parts: Parts, call: MergeCall) {
  const { projectId, params, principal } = call
  const repository = await parts.repositories.openCurrent(projectId)
  await requireRepositoryAccess(principal, repository)
  const found = await findRequest(parts.kernel.database.db, projectId, params.crId)
  if (!found) throw problem('not_found')
  const request = await settleMerge(parts, found)
  if (request.status !== 'open') throw problem('change_request_not_open')
  if (request.mergeIntent) throw problem('merge_in_progress')
  await requireBase(call, repository, request.baseRef)
  const intent = await readIntent(parts, repository, request, call)
  await requireValidManifest(repository, intent.head_sha)
  await writeIntent(parts, call, request, intent)

  const merged = await tryMerge(parts, repository, request, intent, call).catch(async (error: unknown) => {
    await parts.kernel.database.transact(call.actor, ({ db }) => changeRequest(db, request.crId, { mergeIntent: null }))
    throw GitError.isInstance(error) ? explainRefusal(error) : error
  })
  const row = await markMerged(parts, call, repository, request, merged, intent)
  return {
    change_request: toRecord(row),
    merge: {
      merge_commit_sha: merged.mergeCommitSha,
      fast_forward: merged.isFastForward,
      base_sha_before: merged.baseShaBefore,
      base_sha_after: merged.baseShaAfter,
    },
  }
}

/** What a session could not push it does not move by a merge either, but for the default branch. */
async function requireBase(call: MergeCall, { defaultBranch }: ProjectRepository, baseRef: string): Promise<void> {
  const { sessionId } = call.principal
  if (sessionId === undefined || baseRef === defaultBranch || baseRef === sessionId) return
  if (await call.can('project.gitops.ref.any')) return
  throw problem('forbidden', {
    say: `A session merges into ${defaultBranch} and into its own branch; into ${baseRef} it needs project.gitops.ref.any.`,
    next: 'Ask a person to merge it.',
  })
}

async function readIntent(
  parts: Parts,
  { git }: ProjectRepository,
  request: ChangeRequestRow,
  call: MergeCall,
): Promise<MergeIntent> {
  const [base, head] = await Promise.all([requireBranch(git, request.baseRef), requireBranch(git, request.headRef)])
  const { expected_head_sha, expected_base_sha } = call.body
  const hasMoved =
    (expected_head_sha !== undefined && expected_head_sha !== head) ||
    (expected_base_sha !== undefined && expected_base_sha !== base)
  if (hasMoved) throw problem('stale_preview', { extras: { base_sha: base, head_sha: head } })
  const now = parts.kernel.clock.now()
  return {
    base_sha: base,
    head_sha: head,
    by: call.principal.id,
    at: now.toISOString(),
    home: await parts.repositories.readHome(),
    until: new Date(now.getTime() + leaseMs).toISOString(),
  }
}

/** A missing manifest is allowed; one that is there must be valid before it reaches the base. */
async function requireValidManifest(repository: ProjectRepository, commit: string): Promise<void> {
  const manifest = await readManifest(repository.git, commit, repository.manifestPath)
  if (!manifest || manifest.valid) return
  throw problem('manifest_invalid', { extras: { issues: manifest.issues } })
}

async function writeIntent(
  parts: Parts,
  call: MergeCall,
  request: ChangeRequestRow,
  intent: MergeIntent,
): Promise<void> {
  await parts.kernel.database.transact(call.actor, async ({ db }) => {
    const locked = await lockRequest(db, request.projectId, request.crId)
    if (locked?.status !== 'open') throw problem('change_request_not_open')
    if (locked.mergeIntent) throw problem('merge_in_progress')
    await changeRequest(db, request.crId, { mergeIntent: intent })
  })
}

/** Moves the base here, and where the repository lives elsewhere, there too; if it is refused there, nothing moved. */
async function tryMerge(
  parts: Parts,
  repository: ProjectRepository,
  request: ChangeRequestRow,
  intent: MergeIntent,
  { body, principal }: MergeCall,
): Promise<MergeResult> {
  const { author, coAuthors } = describeAuthor(principal)
  const others = [...coAuthors, request.author].filter(({ email }) => email !== author.email)
  const merged = await mergeBranches(repository.git, {
    into: request.baseRef,
    from: request.headRef,
    expectedBaseSha: intent.base_sha,
    expectedHeadSha: intent.head_sha,
    message: body.message || `Merge CR #${request.number}: ${request.title}`,
    author,
    coAuthors: others,
    // Two valid manifests can become an invalid one where both sides changed different lines of it.
    verify: (mergedSha) => requireValidManifest(repository, mergedSha),
  })
  const update = { branch: request.baseRef, newSha: merged.baseShaAfter, expectedSha: merged.baseShaBefore }
  await parts.repositories.remotes.push(repository, repository.git, [update]).catch(async (error: unknown) => {
    await parts.repositories.remotes.sync(repository, { force: true })
    throw error
  })
  return merged
}

async function markMerged(
  parts: Parts,
  call: MergeCall,
  repository: ProjectRepository,
  request: ChangeRequestRow,
  merged: MergeResult,
  intent: MergeIntent,
): Promise<ChangeRequestRow> {
  return parts.kernel.database.transact(call.actor, async (tx) => {
    const row = await changeRequest(tx.db, request.crId, {
      status: 'merged',
      mergeIntent: null,
      mergedAt: new Date(intent.at),
      mergedBy: intent.by,
      mergeCommitSha: merged.mergeCommitSha,
      baseCommitSha: merged.baseShaBefore,
      headCommitSha: merged.headSha,
    })
    await announce(tx, row, 'merged', { merge_commit_sha: merged.mergeCommitSha })
    const moved = { ref: `refs/heads/${request.baseRef}`, oldSha: merged.baseShaBefore, newSha: merged.baseShaAfter }
    await recordChange(tx, repository, [moved], { action: 'repository.merge' })
    return row
  })
}

/** Why git would not merge, in the words of the contract. */
function explainRefusal(error: GitError): Problem | GitError {
  if (error.code === 'conflict') {
    return problem('merge_conflict', { say: error.message, extras: { conflicts: error.details.conflicts } })
  }
  if (error.code === 'nothing_to_merge') return problem('nothing_to_merge')
  if (error.code === 'unrelated_histories') {
    return problem('merge_conflict', { say: error.message, extras: { conflicts: [] } })
  }
  if (error.code !== 'stale' && error.code !== 'remote_rejected') return error
  return problem('stale_preview', { cause: error })
}
