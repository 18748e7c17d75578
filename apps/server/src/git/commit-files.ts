import { branchRef } from './check-ref.ts'
import type { Repository } from './repository.ts'
import { findTree } from './resolve-ref.ts'
import { updateRefs } from './update-refs.ts'
import { type CommitDraft, writeCommit } from './write-commit.ts'

export interface CommitFilesInput extends Omit<CommitDraft, 'parent'> {
  readonly branch: string
  /** The tip the changes were made against; null creates the branch. */
  readonly expectedParent: string | null
}

const root = Buffer.alloc(0)

/**
 * One commit with these changes on a branch, without a work tree. The branch moves only if its tip is still
 * `expectedParent`; otherwise `stale`, and nothing has happened. Changes that change nothing make no commit.
 */
export async function commitFiles(
  repository: Repository,
  input: CommitFilesInput,
): Promise<{ commit: string; isChanged: boolean }> {
  const ref = branchRef(input.branch)
  const { expectedParent } = input
  const commit = await writeCommit(repository, { ...input, parent: expectedParent })
  if (expectedParent !== null && (await hasSameTree(repository, commit, expectedParent))) {
    await updateRefs(repository, [{ ref, oldSha: expectedParent, newSha: expectedParent }], 'unchanged')
    return { commit: expectedParent, isChanged: false }
  }
  await updateRefs(repository, [{ ref, oldSha: expectedParent, newSha: commit }], 'commit files')
  return { commit, isChanged: true }
}

async function hasSameTree(repository: Repository, one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([findTree(repository, one, root), findTree(repository, other, root)])
  return first !== null && first.objectId === second?.objectId
}
