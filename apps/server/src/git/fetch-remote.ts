import { checkBranch } from './check-ref.ts'
import { type RemoteAccess, withRemote } from './open-remote.ts'
import type { Repository } from './repository.ts'
import { runGit } from './run-git.ts'

const defaultMaxPackBytes = 4 * 1024 ** 3
const maxMemoryBytes = 2 * 1024 ** 3

/**
 * Brings this repository to the state of one on another host: every branch and tag, or the named branches. Refs move
 * together or not at all; what the other host has deleted goes here too, unless single branches were named.
 */
export function fetchRemote(
  repository: Repository,
  access: RemoteAccess & { branches?: readonly string[]; maxPackBytes?: number },
): Promise<void> {
  const names = access.branches?.map(checkBranch)
  const refspecs = names?.map((name) => `+refs/heads/${name}:refs/heads/${name}`) ?? [
    '+refs/heads/*:refs/heads/*',
    '+refs/tags/*:refs/tags/*',
  ]
  return withRemote(access, async ({ remote, options }) => {
    const args = ['fetch', '--quiet', '--atomic', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance']
    args.push('--no-recurse-submodules', '--update-head-ok', ...(names ? [] : ['--prune']))
    await runGit(repository, [...args, '--end-of-options', remote.url, ...refspecs], {
      ...options,
      settings: { ...options.settings, 'fetch.fsck.zeroPaddedFilemode': 'ignore', 'fetch.fsck.badTimezone': 'ignore' },
      limits: { memoryBytes: maxMemoryBytes, fileBytes: access.maxPackBytes ?? defaultMaxPackBytes },
    })
  })
}
