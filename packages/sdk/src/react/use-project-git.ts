'use client'
import type { ProjectGitCalls } from '../client/project-calls.ts'
import { useSvcPages } from './svc-pages.ts'
import { hookClient, type MaybeId, svcKey, useSvcQuery } from './svc-query.ts'

/**
 * The branches of a project, with its default branch.
 *
 * @example
 * const { data } = useProjectBranches(projectId)
 */
export function useProjectBranches(projectId: MaybeId) {
  const read = projectId ? () => hookClient().project(projectId).git.branches() : null
  return useSvcQuery(svcKey('project', projectId, 'branches'), 'inventory', read)
}

/**
 * The commits that lead to a ref, newest first, a page at a time; with a path, those that changed it.
 *
 * @example
 * const { data, hasNextPage, fetchNextPage } = useProjectCommits(projectId, { ref: 'main', limit: 30 })
 */
export function useProjectCommits(projectId: MaybeId, options: Parameters<ProjectGitCalls['commits']>[0] = {}) {
  return useSvcPages(
    svcKey('project', projectId, 'commits', options),
    'inventory',
    projectId ? (client, cursor) => client.project(projectId).git.commits({ ...options, cursor }) : null,
    joinCommits,
  )
}

type Commits = Awaited<ReturnType<ProjectGitCalls['commits']>>

function joinCommits(pages: readonly Commits[]): Commits {
  const last = pages.at(-1)
  if (!last) throw new Error('A list without a page.')
  return { ...last, commits: pages.flatMap(({ commits }) => commits) }
}

/**
 * One commit and what it changed. A commit never changes, so it is read once.
 *
 * @example
 * const { commit, diff } = useProjectCommit(projectId, sha)
 */
export function useProjectCommit(projectId: MaybeId, sha: MaybeId) {
  const git = projectId && sha ? hookClient().project(projectId).git : null
  const key = (part: string) => svcKey('project', projectId, 'commit', sha, part)
  const hash = sha ?? ''
  return {
    commit: useSvcQuery(key('record'), 'live', git && (() => git.commit(hash))),
    diff: useSvcQuery(key('diff'), 'live', git && (() => git.commitDiff(hash))),
  }
}
