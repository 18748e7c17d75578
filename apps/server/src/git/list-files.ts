import { BoundedCache } from './bounded-cache.ts'
import { checkPath } from './check-path.ts'
import { GitError } from './git-error.ts'
import { pathFromBytes } from './quote-path.ts'
import type { Repository } from './repository.ts'
import { findObject, resolveRef } from './resolve-ref.ts'
import { runGit } from './run-git.ts'

export interface TreeEntry {
  readonly path: string
  readonly type: 'file' | 'symlink' | 'submodule' | 'directory'
  readonly isExecutable: boolean
  readonly objectId: string
  readonly sizeBytes: number | null
}

export interface ListFilesQuestion {
  readonly ref: string
  readonly path?: string
  /** False lists one level, directories included. */
  readonly recursive?: boolean
  readonly limit?: number
  readonly cursor?: string | null
  /** Paths the reader may not see: left out before paging, so pages stay full. */
  readonly hides?: (path: string) => boolean
  readonly signal?: AbortSignal
}

export interface FilePage {
  readonly commit: string
  readonly entries: readonly TreeEntry[]
  /** Continues in exactly the tree this page came from, however far the branch has moved since. */
  readonly nextCursor: string | null
}

const maxLimit = 1000
const maxListingBytes = 24 * 1024 * 1024
const listings = new BoundedCache<Buffer>(96 * 1024 * 1024)

/** The files of a tree in git's order, a page at a time. An unknown path or no directory: `path_not_found`. */
export async function listFiles(repository: Repository, question: ListFilesQuestion): Promise<FilePage> {
  const { limit = maxLimit, recursive = true, hides, signal } = question
  const path = checkPath(question.path ?? '')
  const start = question.cursor ? readCursor(question.cursor) : null
  const commit = start?.commit ?? (await resolveRef(repository, question.ref))
  const root = await findObject(repository, commit, path)
  if (root?.type !== 'tree') {
    throw new GitError('path_not_found', `There is no directory ${question.path ?? ''} at ${question.ref}.`)
  }
  const prefix = path.length === 0 ? '' : `${question.path?.replace(/\/$/, '')}/`
  const wanted = Math.min(Math.max(limit, 1), maxLimit)
  const entries: Omit<TreeEntry, 'sizeBytes'>[] = []
  let skip = start?.index ?? 0
  let index = 0
  let next: number | null = null
  await walkTree(repository, root.objectId, { recursive, signal, keep: skip > 0 }, (line) => {
    index += 1
    if (skip > 0) {
      skip -= 1
      return true
    }
    const entry = parseTreeLine(line, prefix)
    if (hides?.(entry.path)) return true
    if (entries.length === wanted) {
      next = index - 1
      return false
    }
    entries.push(entry)
    return true
  })
  return {
    commit,
    entries: await addSizes(repository, entries),
    nextCursor: next === null ? null : writeCursor({ commit, index: next }),
  }
}

/** How many files a tree holds, those the reader may not see left out. */
export async function countFiles(
  repository: Repository,
  { ref, hides, signal }: Pick<ListFilesQuestion, 'ref' | 'hides' | 'signal'>,
): Promise<number> {
  const commit = await resolveRef(repository, ref)
  const root = await findObject(repository, commit, Buffer.alloc(0))
  let count = 0
  await walkTree(repository, root?.objectId ?? commit, { recursive: true, keep: true, signal }, (line) => {
    if (!hides?.(parseTreeLine(line, '').path)) count += 1
    return true
  })
  return count
}

/**
 * Walks the records of `ls-tree -z` until `onLine` returns false. A listing that was read to its end is remembered by
 * tree id, so the next page or search reads memory. `keep` asks for that even when the caller stops early.
 */
export async function walkTree(
  repository: Repository,
  tree: string,
  { recursive, signal, keep }: { recursive: boolean; signal?: AbortSignal | undefined; keep: boolean },
  onLine: (line: Buffer) => boolean,
): Promise<void> {
  const key = `${repository.path}\0${tree}\0${recursive}`
  const known = listings.get(key)
  if (known) {
    walkRecords(known, onLine)
    return
  }
  const args = ['ls-tree', '-z', '--full-tree', ...(recursive ? ['-r'] : []), tree]
  const pieces: Buffer[] = []
  let total = 0
  let rest: Buffer = Buffer.alloc(0)
  let stopped = false
  await runGit(repository, args, {
    signal,
    onOutput: (piece) => {
      total += piece.length
      if (total <= maxListingBytes) pieces.push(piece)
      if (!stopped) {
        const buffer = rest.length > 0 ? Buffer.concat([rest, piece]) : piece
        const used = walkRecords(buffer, onLine)
        if (used === 'stopped') stopped = true
        else rest = buffer.subarray(used)
      }
      return !stopped || (keep && total <= maxListingBytes)
    },
  })
  const whole = !stopped || (keep && total <= maxListingBytes)
  if (whole && total <= maxListingBytes) listings.set(key, Buffer.concat(pieces), total + 200)
}

/** `<mode> <type> <id>\t<path>` */
export function parseTreeLine(line: Buffer, prefix: string): Omit<TreeEntry, 'sizeBytes'> {
  const tab = line.indexOf(0x09)
  const [mode = '', type = '', objectId = ''] = line.toString('latin1', 0, tab).split(' ')
  return { path: prefix + pathFromBytes(line.subarray(tab + 1)), ...kindOf(mode, type), objectId }
}

function kindOf(mode: string, type: string): Pick<TreeEntry, 'type' | 'isExecutable'> {
  if (type === 'tree') return { type: 'directory', isExecutable: false }
  if (type === 'commit') return { type: 'submodule', isExecutable: false }
  return { type: mode === '120000' ? 'symlink' : 'file', isExecutable: mode === '100755' }
}

function walkRecords(buffer: Buffer, onLine: (line: Buffer) => boolean): number | 'stopped' {
  let from = 0
  for (let end = buffer.indexOf(0, from); end !== -1; end = buffer.indexOf(0, from)) {
    if (!onLine(buffer.subarray(from, end))) return 'stopped'
    from = end + 1
  }
  return from
}

async function addSizes(repository: Repository, entries: Omit<TreeEntry, 'sizeBytes'>[]): Promise<TreeEntry[]> {
  const blobs = entries.filter(({ type }) => type === 'file' || type === 'symlink')
  const names = blobs.map(({ objectId }) => Buffer.from(objectId))
  const found = names.length === 0 ? [] : await repository.readers.use((reader) => reader.infoOfAll(names))
  const sizes = new Map(
    found.flatMap((info) => (info && info !== 'ambiguous' ? [[info.objectId, info.sizeBytes]] : [])),
  )
  return entries.map((entry) => ({ ...entry, sizeBytes: sizes.get(entry.objectId) ?? null }))
}

function writeCursor({ commit, index }: { commit: string; index: number }): string {
  return `${commit}.${index.toString(36)}`
}

function readCursor(cursor: string): { commit: string; index: number } {
  const match = /^([0-9a-f]{40,64})\.([0-9a-z]{1,8})$/.exec(cursor)
  if (!match?.[1] || !match[2]) throw new GitError('invalid_input', 'This page cursor is not one of ours. Start again.')
  return { commit: match[1], index: Number.parseInt(match[2], 36) }
}
