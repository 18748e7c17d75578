import { GitError } from './git-error.ts'
import { type CommitPage, type CommitsQuestion, checkArgumentPath, checkPage } from './list-commits.ts'
import { type Commit, commitFormat, parseCommits } from './parse-commits.ts'
import { parseDiff } from './parse-diff.ts'
import type { Repository } from './repository.ts'
import { runGit } from './run-git.ts'

interface Step {
  readonly commit: Commit
  readonly addsFile: boolean
}

const maxRenames = 50

/**
 * The commits that touched one file, newest first, through its renames. Walks path by path instead of `--follow`, so
 * that the commit graph's path filters can be used and pages can be skipped exactly.
 */
export async function listFileHistory(
  repository: Repository,
  question: CommitsQuestion & { path: string },
): Promise<CommitPage> {
  const { signal } = question
  const { tip, limit, skip } = await checkPage(repository, question)
  const needed = skip + limit + 1
  const found: Commit[] = []
  let from = tip
  let path = checkArgumentPath(question.path)
  if (path === '') throw new GitError('invalid_path', 'The history of a file needs its path.')
  for (let renames = 0; renames <= maxRenames && found.length < needed; renames += 1) {
    const steps = await walkPath(repository, from, path, needed - found.length, signal)
    const birth = steps.findIndex(({ addsFile }) => addsFile)
    found.push(...(birth === -1 ? steps : steps.slice(0, birth + 1)).map(({ commit }) => commit))
    const born = steps[birth]?.commit
    const parent = born?.parents[0]
    if (!born || !parent || found.length >= needed) break
    const oldPath = await findOldPath(repository, parent, born.hash, path, signal)
    if (oldPath === null) {
      // Not a rename: what the path held before it was removed and added again belongs to its history too.
      found.push(...steps.slice(birth + 1).map(({ commit }) => commit))
      break
    }
    from = parent
    path = checkArgumentPath(oldPath)
  }
  const commits = found.slice(skip, skip + limit)
  const hasMore = found.length > skip + limit
  return { tip, commits, hasMore, nextCursor: hasMore ? `${tip}.${skip + limit}` : null }
}

async function walkPath(
  repository: Repository,
  from: string,
  path: string,
  count: number,
  signal: AbortSignal | undefined,
): Promise<Step[]> {
  const args = ['log', '-z', commitFormat, '--raw', '--no-renames', '--no-show-signature', `--max-count=${count}`]
  const { stdout } = await runGit(repository, [...args, '--end-of-options', from, '--', path], { signal })
  return splitSteps(stdout)
}

/** Records of `-z --raw`: the commit, then `:<modes> <ids> <status>` and the path, each closed by NUL. */
function splitSteps(output: Buffer): Step[] {
  const steps: { commit: Commit; addsFile: boolean }[] = []
  const fields = output.toString('utf8').split('\0')
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at] ?? ''
    if (/^\n?:\d{6} /.test(field)) {
      const last = steps.at(-1)
      if (last && field.endsWith(' A')) last.addsFile = true
      at += 1
      continue
    }
    const [commit] = parseCommits(Buffer.from(field))
    if (commit) steps.push({ commit, addsFile: false })
  }
  return steps
}

async function findOldPath(
  repository: Repository,
  parent: string,
  commit: string,
  path: string,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const args = ['diff-tree', '-r', '-z', '-M', '-l1000', '--raw', '--numstat', '--diff-filter=R', parent, commit, '--']
  const { stdout } = await runGit(repository, args, { signal })
  return parseDiff(stdout, false).files.find((file) => file.path === path)?.oldPath ?? null
}
