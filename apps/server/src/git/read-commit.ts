import { type DiffOptions, diffTrees, type TreeDiff } from './diff-trees.ts'
import { GitError } from './git-error.ts'
import { checkArgumentPath } from './list-commits.ts'
import { type Commit, commitFormat, parseCommits } from './parse-commits.ts'
import type { DiffFile } from './parse-diff.ts'
import type { Repository } from './repository.ts'
import { resolveCommit } from './resolve-ref.ts'
import { runGit } from './run-git.ts'

/** A commit by its id, or its unambiguous beginning, with the files it changed against its first parent. */
export async function readCommit(
  repository: Repository,
  sha: string,
  options: Pick<DiffOptions, 'hides' | 'signal'> = {},
): Promise<Commit & { files: readonly Omit<DiffFile, 'patch'>[] }> {
  const commit = await readCommitHead(repository, sha, options.signal)
  const { files } = await diffTrees(repository, commit.parents[0] ?? null, commit.hash, options)
  return { ...commit, files: files.map(({ patch: _, ...file }) => file) }
}

/** What a commit changed against its first parent, as patches. A `path` keeps that file or directory only. */
export async function diffCommit(
  repository: Repository,
  sha: string,
  options: DiffOptions = {},
): Promise<TreeDiff & { hash: string; parent: string | null; path: string | null }> {
  const hash = await resolveCommit(repository, sha)
  const path = options.path ? checkArgumentPath(options.path) : ''
  const parent = await readFirstParent(repository, hash)
  const diff = await diffTrees(repository, parent, hash, { withPatch: true, ...options, path })
  return { hash, parent, path: options.path ?? null, ...diff }
}

/** From the commit itself, without a process: the header ends at the first empty line. */
async function readFirstParent(repository: Repository, hash: string): Promise<string | null> {
  const found = await repository.readers.use((reader) => reader.contents(Buffer.from(hash)))
  if (!found || found === 'ambiguous') throw new GitError('git_failed', 'The commit could not be read.')
  const text = found.content.toString('latin1')
  return /^parent ([0-9a-f]+)$/m.exec(text.slice(0, text.indexOf('\n\n')))?.[1] ?? null
}

async function readCommitHead(repository: Repository, sha: string, signal?: AbortSignal): Promise<Commit> {
  const hash = await resolveCommit(repository, sha)
  const args = ['log', '-z', commitFormat, '--no-show-signature', '--max-count=1', '--end-of-options', hash, '--']
  const { stdout } = await runGit(repository, args, { signal })
  const commit = parseCommits(stdout)[0]
  if (!commit) throw new GitError('git_failed', 'The commit could not be read.')
  return commit
}
