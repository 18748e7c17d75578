import { operations } from '@svc/contract'
import { compareVersions, diffCommit, GitError, listBranches, listCommits, readCommit } from '../../git/index.ts'
import { answer, type Handled, handle, problem } from '../../kernel/http/index.ts'
import { answerGit } from '../git-problem.ts'
import type { Parts } from '../parts.ts'
import { toBranch, toCommit, toCommitFile } from './records.ts'
import { isEmptyAt, openReading } from './routes.ts'

export function historyRoutes(parts: Parts): Handled[] {
  const ops = operations.repositories
  return [
    handle(ops.commits, (call) =>
      answerGit(async () => {
        const reading = await openReading(parts, call)
        const { ref = reading.defaultBranch, path, limit, skip, cursor } = call.query
        if (await isEmptyAt(reading, ref)) return { ref, path: path ?? null, commits: [], hasMore: false }
        if (path && (await reading.viewer.isHidden(path))) throw problem('not_found')
        const page = await listCommits(reading.git, {
          ref,
          ...(path ? { path } : {}),
          ...(limit === undefined ? {} : { limit }),
          ...(skip === undefined ? {} : { skip }),
          ...(cursor === undefined ? {} : { cursor }),
          signal: call.signal,
        })
        return answer(
          { ref, path: path ?? null, commits: page.commits.map(toCommit), hasMore: page.hasMore },
          {
            headers: {
              etag: `"${page.tip}-${page.commits.length}"`,
              ...(page.nextCursor === null ? {} : { 'x-next-cursor': page.nextCursor }),
            },
          },
        )
      }),
    ),

    handle(ops.commit, (call) =>
      answerGit(async () => {
        const reading = await openReading(parts, call)
        const commit = await reading.viewer
          .read((hides) => readCommit(reading.git, call.params.sha, hiding(hides, call.signal)))
          .catch(refuseUnknown)
        return answer(
          { ...toCommit(commit), files: commit.files.map(toCommitFile) },
          { headers: { etag: `"${commit.hash}-${reading.viewer.digest()}"` } },
        )
      }),
    ),

    handle(ops.commitDiff, (call) =>
      answerGit(async () => {
        const reading = await openReading(parts, call)
        const { path } = call.query
        const diff = await reading.viewer
          .read((hides) =>
            diffCommit(reading.git, call.params.sha, { ...(path ? { path } : {}), ...hiding(hides, call.signal) }),
          )
          .catch(refuseUnknown)
        return answer(
          { hash: diff.hash, parent: diff.parent, path: diff.path, patch: diff.patch },
          {
            headers: {
              etag: `"${diff.hash}-${reading.viewer.digest()}"`,
              ...(diff.isTruncated ? { 'x-svc-truncated': 'true' } : {}),
            },
          },
        )
      }),
    ),

    handle(ops.branches, (call) =>
      answerGit(async () => {
        const reading = await openReading(parts, call)
        const { defaultBranch } = reading
        const found = await listBranches(reading.git, { defaultBranch, signal: call.signal })
        return { default_branch: defaultBranch, branches: found.map(toBranch) }
      }),
    ),

    handle(ops.versionDiff, (call) =>
      answerGit(async () => {
        const reading = await openReading(parts, call)
        const { from, into } = call.query
        const diff = await reading.viewer.read((hides) =>
          compareVersions(reading.git, from, into, hiding(hides, call.signal)),
        )
        return {
          from,
          into,
          from_sha: diff.fromSha,
          into_sha: diff.intoSha,
          merge_base: diff.mergeBase,
          files_changed: diff.filesChanged,
          additions: diff.additions,
          deletions: diff.deletions,
          is_up_to_date: diff.isUpToDate,
          is_same_ref: diff.isSameRef,
        }
      }),
    ),
  ]
}

export function hiding(hides: ((path: string) => boolean) | undefined, signal: AbortSignal) {
  return { ...(hides ? { hides } : {}), signal }
}

function refuseUnknown(error: unknown): never {
  if (GitError.isInstance(error, 'ref_not_found')) throw problem('not_found', { say: error.message })
  throw error
}
