import type { operations } from '@svc/contract'
import { diffSinceParting, GitError, previewMerge, readBranch, requireBranch } from '../git/index.ts'
import { type Call, problem } from '../kernel/http/index.ts'
import { hiding, type ProjectRepository, toCommitFile } from '../repositories/index.ts'
import type { Parts } from './parts.ts'
import { settleMerge } from './settle-merge.ts'
import { type ChangeRequestRow, findRequest, noteTips } from './store.ts'

type OneCall = Call<typeof operations.changeRequests.get>
type DiffCall = Call<typeof operations.changeRequests.diff>
type PreviewCall = Call<typeof operations.changeRequests.mergePreview>

/** A request as it stands: a merge that was cut off is settled, an open one tells its current tips. */
export async function readRequest(parts: Parts, { projectId, params }: OneCall): Promise<ChangeRequestRow> {
  const row = await requireRequest(parts, projectId, params.crId)
  if (row.status !== 'open') return row
  const settled = row.mergeIntent ? await parts.repositories.withLock(projectId, () => settleMerge(parts, row)) : row
  return settled.status === 'open' ? refreshTips(parts, settled) : settled
}

/** A repository that cannot be reached keeps nobody from reading the record. */
async function refreshTips(parts: Parts, row: ChangeRequestRow): Promise<ChangeRequestRow> {
  try {
    const { git } = await parts.repositories.openCurrent(row.projectId)
    const [base, head] = await Promise.all([readBranch(git, row.baseRef), readBranch(git, row.headRef)])
    if (base !== row.baseCommitSha || head !== row.headCommitSha) {
      await noteTips(parts.kernel.database.db, row.crId, base, head)
    }
    return { ...row, baseCommitSha: base, headCommitSha: head }
  } catch (error) {
    if (GitError.isInstance(error)) return row
    throw error
  }
}

export async function readDiff(parts: Parts, call: DiffCall) {
  const row = await requireRequest(parts, call.projectId, call.params.crId)
  const reading = await parts.repositories.openReading(call)
  const { base, head } = await findTips(reading, row)
  const diff = await reading.viewer.read((hides) =>
    diffSinceParting(reading.git, base, head, { withPatch: true, ...hiding(hides, call.signal) }),
  )
  return {
    cr_id: row.crId,
    base_ref: row.baseRef,
    head_ref: row.headRef,
    base_sha: base,
    head_sha: head,
    merge_base: diff.mergeBase,
    files: diff.files.map(toCommitFile),
    files_changed: diff.filesChanged,
    additions: diff.additions,
    deletions: diff.deletions,
    patch: diff.patch,
  }
}

export async function readPreview(parts: Parts, call: PreviewCall) {
  const row = await requireRequest(parts, call.projectId, call.params.crId)
  const reading = await parts.repositories.openReading(call)
  const { base, head } = await findTips(reading, row)
  const preview = await previewMerge(reading.git, base, head, call.signal)
  return {
    base_sha: preview.baseSha,
    head_sha: preview.headSha,
    merge_base: preview.mergeBase,
    can_fast_forward: preview.canFastForward,
    can_merge: preview.canMerge,
    conflicts: [...new Set(preview.conflicts.map(({ path }) => path))],
    is_up_to_date: preview.isUpToDate,
  }
}

/** A merged request keeps the commits it was merged from, whatever its branches do later. */
async function findTips({ git }: ProjectRepository, row: ChangeRequestRow): Promise<{ base: string; head: string }> {
  if (row.status === 'merged' && row.baseCommitSha && row.headCommitSha) {
    return { base: row.baseCommitSha, head: row.headCommitSha }
  }
  const [base, head] = await Promise.all([requireBranch(git, row.baseRef), requireBranch(git, row.headRef)])
  return { base, head }
}

async function requireRequest(parts: Parts, projectId: string, crId: string): Promise<ChangeRequestRow> {
  const row = await findRequest(parts.kernel.database.db, projectId, crId)
  if (!row) throw problem('not_found')
  return row
}
