import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { GitError } from './git-error.ts'
import { listBelow } from './list-below.ts'
import type { Repository } from './repository.ts'
import { runGit } from './run-git.ts'

const maintenanceTimeoutMs = 30 * 60_000
const staleLockMs = 15 * 60_000
const staleDraftMs = 24 * 60 * 60_000

/**
 * Packs, prunes what nobody has reached for two weeks, and writes the commit graph that makes history fast. `auto` does
 * so only when there is enough to gain. Pushes and reads may go on; of two at once, one does the work.
 */
export async function collectGarbage(
  repository: Repository,
  { mode = 'auto', signal }: { mode?: 'auto' | 'full'; signal?: AbortSignal } = {},
): Promise<void> {
  await removeLeftovers(repository, Date.now())
  const settings = {
    'gc.auto': '500',
    'gc.autoPackLimit': '20',
    'gc.autoDetach': 'false',
    'gc.pruneExpire': '2.weeks.ago',
  }
  const options = { settings, timeoutMs: maintenanceTimeoutMs, signal }
  const args = ['gc', '--quiet', ...(mode === 'auto' ? ['--auto'] : [])]
  const { stderr, exitCode } = await runGit(repository, args, { ...options, answers: [128] })
  const isTaken = /gc is already running/.test(stderr)
  if (exitCode !== 0 && !isTaken)
    throw new GitError('git_failed', 'The repository could not be packed.', { privateText: stderr })
  if (isTaken) return
  await runGit(
    repository,
    [
      'commit-graph',
      'write',
      '--reachable',
      '--changed-paths',
      '--no-progress',
      ...(mode === 'auto' ? ['--split'] : []),
    ],
    options,
  )
}

/** Every object read and every link followed. Returns what is wrong; an empty list is a sound repository. */
export async function checkRepository(repository: Repository, signal?: AbortSignal): Promise<string[]> {
  const args = ['fsck', '--full', '--strict', '--no-dangling', '--no-progress']
  const all = Array.from({ length: 255 }, (_, index) => index + 1)
  const options = { answers: all, timeoutMs: maintenanceTimeoutMs, signal }
  const { stdout, stderr, exitCode } = await runGit(repository, args, options)
  const lines = `${stdout.toString('utf8')}\n${stderr}`.split('\n').filter((line) => line.trim() !== '')
  // A repository without a commit yet has a HEAD that names no commit: that is no fault.
  const faults = lines.filter((line) => !line.startsWith('notice: '))
  return exitCode === 0 ? [] : faults
}

/** Bytes on disk. Drafts of pushes under way count: they use space too. */
export async function measureRepository(repository: Repository): Promise<number> {
  await stat(repository.path).catch((cause: unknown) => {
    throw new GitError('repository_not_found', 'The repository does not exist.', { cause })
  })
  let total = 0
  for await (const path of listBelow(repository.path)) total += await sizeOf(path)
  return total
}

/**
 * What killed processes leave: ref locks that would block a branch for ever, and drafts. A lock lives for milliseconds,
 * so one of a quarter of an hour belongs to nobody.
 */
export async function removeLeftovers(repository: Repository, nowMs: number): Promise<string[]> {
  const removed: string[] = []
  for (const path of await listLeftovers(repository.path)) {
    const age =
      nowMs -
      (await stat(path)
        .then((found) => found.mtimeMs)
        .catch(() => nowMs))
    if (age < (path.endsWith('.lock') ? staleLockMs : staleDraftMs)) continue
    await rm(path, { recursive: true, force: true })
    removed.push(path)
  }
  return removed
}

async function listLeftovers(path: string): Promise<string[]> {
  const top = await readdir(path).catch(() => [])
  const refs: string[] = []
  for await (const ref of listBelow(join(path, 'refs'))) refs.push(ref)
  const objects = await readdir(join(path, 'objects')).catch(() => [])
  return [
    ...top.filter((name) => name.endsWith('.lock') || /^fast_import_crash_/.test(name)).map((name) => join(path, name)),
    ...refs.filter((name) => name.endsWith('.lock')),
    ...objects.filter((name) => name.startsWith('tmp_objdir-')).map((name) => join(path, 'objects', name)),
  ]
}

/** A file that was packed away between listing and measuring counts as nothing. */
async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    (found) => (found.isFile() ? found.size : 0),
    () => 0,
  )
}
