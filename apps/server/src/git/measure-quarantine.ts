import { GitError } from './git-error.ts'
import type { Repository } from './repository.ts'
import { runGit } from './run-git.ts'

const measureTimeoutMs = 120_000

/**
 * Adds up what the objects of a push take when unpacked, without unpacking them. Memory stays flat; counting stops at
 * the limit with `too_large`.
 */
export async function measureQuarantine(inside: Repository, maxBytes = Number.POSITIVE_INFINITY): Promise<number> {
  let total = 0
  let rest = ''
  // Without its alternates the object directory holds the pushed objects alone.
  const place = { path: inside.path, variables: { GIT_OBJECT_DIRECTORY: inside.variables.GIT_OBJECT_DIRECTORY ?? '' } }
  const args = ['cat-file', '--batch-all-objects', '--unordered', '--buffer', '--batch-check=%(objectsize)']
  await runGit(place, args, {
    timeoutMs: measureTimeoutMs,
    onOutput: (piece) => {
      const lines = (rest + piece.toString('latin1')).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) total += Number(line)
      return total <= maxBytes
    },
  })
  if (total <= maxBytes) return total
  throw new GitError('too_large', `This push takes more than the ${maxBytes} bytes that are left of the quota.`, {
    details: { maxBytes },
  })
}
