import { branchRef, checkRevision, isFullSha, isSomeSha } from './check-ref.ts'
import { GitError } from './git-error.ts'
import type { ObjectInfo } from './object-reader.ts'
import type { Repository } from './repository.ts'

/**
 * The commit a name stands for: a branch, else a tag, else a full ref below refs/heads or refs/tags, else a commit id
 * of at least four digits. `HEAD` is the default branch.
 */
export async function resolveRef(repository: Repository, ref: string): Promise<string> {
  checkRevision(ref)
  for (const candidate of candidates(ref)) {
    const found = await repository.readers.use((reader) => reader.info(Buffer.from(`${candidate}^{commit}`)))
    if (found === 'ambiguous') {
      throw new GitError('ambiguous_ref', 'Several commits start with these digits. Give more of them.', {
        details: { ref },
      })
    }
    if (found) return found.objectId
  }
  throw refNotFound(ref)
}

/** The tip of a branch by its exact name, or null when there is no such branch. */
export async function readBranch(repository: Repository, branch: string): Promise<string | null> {
  const found = await repository.readers.use((reader) => reader.info(Buffer.from(`${branchRef(branch)}^{commit}`)))
  return found && found !== 'ambiguous' ? found.objectId : null
}

export async function requireBranch(repository: Repository, branch: string): Promise<string> {
  const tip = await readBranch(repository, branch)
  if (tip === null) throw refNotFound(branch)
  return tip
}

/** The commit with this id, or its unambiguous beginning. Never a branch that happens to be named like one. */
export async function resolveCommit(repository: Repository, sha: string): Promise<string> {
  if (!isSomeSha(sha)) {
    throw new GitError('invalid_ref', 'A commit id is 4 to 64 hexadecimal digits.', {
      details: { ref: sha.slice(0, 100) },
    })
  }
  const found = await repository.readers.use((reader) => reader.info(Buffer.from(`${sha.toLowerCase()}^{commit}`)))
  if (found === 'ambiguous') {
    throw new GitError('ambiguous_ref', 'Several commits start with these digits. Give more of them.', {
      details: { ref: sha },
    })
  }
  // `deadbeef` could also be a branch: the answer must begin with what was asked for.
  if (!found?.objectId.startsWith(sha.toLowerCase())) throw refNotFound(sha)
  return found.objectId
}

/** The tree of a commit, or of a directory in it. Null when the path is missing or no directory. */
export async function findTree(repository: Repository, commit: string, path: Buffer): Promise<ObjectInfo | null> {
  const found = await findObject(repository, commit, path)
  return found?.type === 'tree' ? found : null
}

export async function findObject(repository: Repository, commit: string, path: Buffer): Promise<ObjectInfo | null> {
  const name = path.length === 0 ? Buffer.from(`${commit}^{tree}`) : Buffer.concat([Buffer.from(`${commit}:`), path])
  const found = await repository.readers.use((reader) => reader.info(name))
  return found === 'ambiguous' ? null : found
}

function candidates(ref: string): string[] {
  if (ref === 'HEAD' || isFullSha(ref)) return [ref]
  const names = [`refs/heads/${ref}`, `refs/tags/${ref}`]
  if (ref.startsWith('refs/heads/') || ref.startsWith('refs/tags/')) names.unshift(ref)
  if (isSomeSha(ref)) names.push(ref)
  return names
}

function refNotFound(ref: string): GitError {
  return new GitError('ref_not_found', `There is no branch, tag or commit named ${ref}.`, { details: { ref } })
}
