import { GitError, readBranch, updateRefs } from '../../git/index.ts'
import { systemActor } from '../../kernel/actor.ts'
import { sayError } from '../../kernel/log/index.ts'
import { type ProjectRepository, recordChange } from '../../repositories/index.ts'
import type { Parts } from '../parts.ts'
import { mergeMetadata, type SessionRow } from '../store/sessions.ts'

/** Makes the session's branch known, in the background. Readiness never waits for it; the record tells how it went. */
export async function publishBranch(parts: Parts, row: SessionRow, repository: ProjectRepository): Promise<void> {
  const { sessionId, branchName, baseSha, repositoryAccess } = row
  // A repository that lives elsewhere gets the branch with the session's first push.
  if (!repositoryAccess || baseSha === null || repository.kind !== 'managed') return
  const { db } = parts.kernel.database
  const updatedAt = parts.kernel.clock.now().toISOString()
  try {
    if ((await readBranch(repository.git, branchName)) !== null) return
    const change = { ref: `refs/heads/${branchName}`, oldSha: null, newSha: baseSha }
    await updateRefs(repository.git, [change], `session ${sessionId}`)
    await parts.kernel.database.transact({ ...systemActor, sessionId }, (tx) =>
      recordChange(tx, repository, [change], { action: 'session.branch' }),
    )
    await note('ready')
  } catch (error) {
    // The session itself got there first.
    if (GitError.isInstance(error, 'stale')) return
    parts.kernel.log.warn('the branch of a session could not be published', { session_id: sessionId, error })
    await note('failed', error instanceof Error ? sayError(error) : 'The branch could not be made.').catch(
      () => undefined,
    )
  }

  async function note(status: 'ready' | 'failed', error?: string): Promise<void> {
    const remote_branch = { status, branch: branchName, ...(error ? { error } : {}), updated_at: updatedAt }
    await mergeMetadata(db, sessionId, { remote_branch })
  }
}
