import type { Tx } from '../kernel/database/index.ts'
import { repositoryChanged } from './repository-changed.ts'
import type { RepositoryRow } from './store.ts'

export interface MovedRef {
  readonly ref: string
  readonly oldSha: string | null
  readonly newSha: string | null
}

/** Writes down that refs moved, and tells everybody. */
export async function recordChange(
  tx: Tx,
  { projectId, accountId, defaultBranch }: Pick<RepositoryRow, 'projectId' | 'accountId' | 'defaultBranch'>,
  moved: readonly MovedRef[],
  event: { action: string; resourceType?: string; resourceId?: string; metadata?: Record<string, unknown> },
): Promise<void> {
  const refs = moved.map(({ ref, oldSha, newSha }) => ({ ref, old_sha: oldSha, new_sha: newSha }))
  await tx.audit({
    outcome: 'success',
    accountId,
    projectId,
    resourceType: 'repository',
    resourceId: projectId,
    ...event,
    metadata: { refs: refs.slice(0, 50), ref_count: refs.length, ...event.metadata },
  })
  const moves_default = moved.some(({ ref }) => ref === `refs/heads/${defaultBranch}`)
  await tx.publish(
    repositoryChanged.event({ project_id: projectId, account_id: accountId, refs: refs.slice(0, 200), moves_default }),
  )
}
