import { setTimeout as sleep } from 'node:timers/promises'
import { zeroSha } from './check-ref.ts'
import { GitError } from './git-error.ts'
import type { Repository } from './repository.ts'
import { runGit } from './run-git.ts'

/** `oldSha: null` means that the ref must not exist; `newSha: null` removes it; the same on both sides only checks. */
export interface RefChange {
  readonly ref: string
  readonly oldSha: string | null
  readonly newSha: string | null
}

const attempts = 2

/**
 * Moves refs in one transaction, each only from its expected old value: all move or none does. Safe across processes.
 * A ref that is not where it was expected: `stale`, with the ref and where it is now in the details.
 */
export async function updateRefs(repository: Repository, changes: readonly RefChange[], reason: string): Promise<void> {
  const input = ['start', ...changes.map(encodeChange), 'prepare', 'commit', ''].join('\0')
  for (let attempt = 1; ; attempt += 1) {
    const { exitCode, stderr } = await runGit(repository, ['update-ref', '-m', oneLine(reason), '--stdin', '-z'], {
      input,
      answers: [1, 128],
    })
    if (exitCode === 0) return
    await throwIfMoved(repository, changes, stderr)
    if (!/[Uu]nable to lock|Unable to create|cannot lock ref/.test(stderr)) {
      throw new GitError('git_failed', 'The branch could not be moved.', { privateText: stderr })
    }
    if (attempt === attempts) {
      throw new GitError('busy', 'The branch is being changed by someone else. Try again.', { privateText: stderr })
    }
    await sleep(20 * attempt + Math.random() * 30)
  }
}

function encodeChange({ ref, oldSha, newSha }: RefChange): string {
  if (oldSha === newSha) return `verify ${ref}\0${oldSha ?? zeroSha}`
  if (newSha === null) return `delete ${ref}\0${oldSha}`
  return `update ${ref}\0${newSha}\0${oldSha ?? zeroSha}`
}

async function throwIfMoved(repository: Repository, changes: readonly RefChange[], stderr: string): Promise<void> {
  const { stdout } = await runGit(repository, [
    'for-each-ref',
    '--format=%(refname) %(objectname)',
    ...changes.map(({ ref }) => ref),
  ])
  const now = new Map(
    stdout
      .toString('utf8')
      .split('\n')
      .map((line): [string, string] => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]),
  )
  for (const { ref, oldSha } of changes) {
    const actual = now.get(ref) ?? null
    if (actual === oldSha) continue
    throw new GitError('stale', `${ref.replace(/^refs\/heads\//, '')} has moved since it was read. Read it again.`, {
      details: { ref, expected: oldSha, actual },
      privateText: stderr,
    })
  }
}

function oneLine(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 200)
}
