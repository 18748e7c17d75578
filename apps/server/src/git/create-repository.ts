import { randomBytes } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { checkBranch } from './check-ref.ts'
import type { CommitIdentity } from './format-message.ts'
import { GitError } from './git-error.ts'
import { closeRepository, openRepository, type Repository } from './repository.ts'
import { runGit } from './run-git.ts'
import { updateRefs } from './update-refs.ts'
import { type FileChange, writeCommit } from './write-commit.ts'

export interface InitialCommit {
  readonly files: readonly FileChange[]
  readonly message: string
  readonly author: CommitIdentity
}

/**
 * Creates a bare repository, with its first commit if one is given. It appears at `path` complete or not at all;
 * an existing repository is never touched (`already_exists`).
 */
export async function createRepository(
  path: string,
  options: { defaultBranch?: string; initialCommit?: InitialCommit } = {},
): Promise<{ repository: Repository; commit: string | null }> {
  const branch = checkBranch(options.defaultBranch ?? 'main')
  const draftPath = `${openRepository(path).path}.new-${randomBytes(6).toString('hex')}`
  await mkdir(dirname(draftPath), { recursive: true })
  const draft = openRepository(draftPath)
  try {
    await runGit(null, ['init', '--quiet', '--bare', '--template=', `--initial-branch=${branch}`, '--', draftPath])
    const commit = options.initialCommit ? await commitInitial(draft, branch, options.initialCommit) : null
    await moveIntoPlace(draftPath, path)
    return { repository: openRepository(path), commit }
  } catch (error) {
    await rm(draftPath, { recursive: true, force: true })
    throw error
  } finally {
    closeRepository(draft)
  }
}

/** Removes a repository. Other processes see it whole or gone, never half. */
export async function deleteRepository(repository: Repository): Promise<void> {
  const doomed = `${repository.path}.deleted-${randomBytes(6).toString('hex')}`
  closeRepository(repository)
  try {
    await rename(repository.path, doomed)
  } catch (cause) {
    if (isCode(cause, 'ENOENT')) throw new GitError('repository_not_found', 'The repository does not exist.', { cause })
    throw cause
  }
  await rm(doomed, { recursive: true, force: true })
}

async function commitInitial(draft: Repository, branch: string, initial: InitialCommit): Promise<string> {
  const commit = await writeCommit(draft, { parent: null, changes: initial.files, ...initial })
  await updateRefs(draft, [{ ref: `refs/heads/${branch}`, newSha: commit, oldSha: null }], 'initial commit')
  return commit
}

async function moveIntoPlace(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (cause) {
    if (!isCode(cause, 'ENOTEMPTY') && !isCode(cause, 'EEXIST') && !isCode(cause, 'ENOTDIR')) throw cause
    throw new GitError('already_exists', 'A repository already exists at this place.', { cause })
  }
  const parent = await open(dirname(to), 'r')
  await parent.sync().finally(() => parent.close())
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
