import { branchRef, checkSha } from './check-ref.ts'
import { type RemoteAccess, withRemote } from './open-remote.ts'
import type { Repository } from './repository.ts'
import { runGit } from './run-git.ts'

export interface RemoteUpdate {
  readonly branch: string
  /** Null deletes the branch there. */
  readonly newSha: string | null
  /** Where the branch must be on the other host; null means that it must not exist yet. */
  readonly expectedSha: string | null
}

/**
 * Moves branches on another host, all or none, each only from its expected commit: `remote_rejected` when one has moved
 * there or a rule there forbids it.
 */
export function pushRemote(
  repository: Repository,
  access: RemoteAccess & { updates: readonly RemoteUpdate[] },
): Promise<void> {
  const leases = access.updates.map(({ branch, expectedSha }) => {
    return `--force-with-lease=${branchRef(branch)}:${expectedSha === null ? '' : checkSha(expectedSha)}`
  })
  const refspecs = access.updates.map(({ branch, newSha }) => {
    return `${newSha === null ? '' : checkSha(newSha)}:${branchRef(branch)}`
  })
  return withRemote(access, async ({ remote, options }) => {
    const args = ['push', '--porcelain', '--atomic', '--no-verify', '--no-recurse-submodules', ...leases]
    await runGit(repository, [...args, '--end-of-options', remote.url, ...refspecs], options)
  })
}
