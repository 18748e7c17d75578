import { isUtf8 } from 'node:buffer'
import type { Readable } from 'node:stream'
import { BoundedCache } from './bounded-cache.ts'
import { checkPath } from './check-path.ts'
import { GitError } from './git-error.ts'
import type { ObjectInfo } from './object-reader.ts'
import type { Repository } from './repository.ts'
import { findObject, resolveRef } from './resolve-ref.ts'
import { streamGit } from './stream-git.ts'

export interface FileStat {
  readonly path: string
  readonly ref: string
  readonly commit: string
  /** Names the content: use it as the entity tag. */
  readonly objectId: string
  readonly sizeBytes: number
}

export interface FileContent extends FileStat {
  readonly content: Buffer
  /** git's own rule: a NUL in the first 8,000 bytes. */
  readonly isBinary: boolean
  /** The content as text, or null for a binary file. Bytes that are no UTF-8 become replacement characters. */
  readonly text: string | null
  readonly isUtf8: boolean
}

export interface FileQuestion {
  readonly ref: string
  readonly path: string
}

const defaultMaxBytes = 10 * 1024 * 1024
// A path at a commit never changes what it names, so a remembered answer is right for ever.
const remembered = new BoundedCache<ObjectInfo>(50_000)

/** Finds a file without reading it: compare `objectId` with what the client has before reading. */
export async function statFile(repository: Repository, { ref, path }: FileQuestion): Promise<FileStat> {
  const bytes = checkPath(path)
  const commit = await resolveRef(repository, ref)
  const found = bytes.length === 0 ? null : await findRemembered(repository, commit, bytes)
  if (found?.type !== 'blob') {
    throw new GitError('path_not_found', `There is no file ${path} at ${ref}.`, { details: { path, ref } })
  }
  return { path, ref, commit, objectId: found.objectId, sizeBytes: found.sizeBytes }
}

/** Reads a file whole. A symbolic link reads as its target text; it is never followed. */
export async function readFile(
  repository: Repository,
  question: FileQuestion & { maxBytes?: number },
): Promise<FileContent> {
  const stat = await statFile(repository, question)
  const content = await readBlob(repository, stat.objectId, stat.sizeBytes, question.maxBytes ?? defaultMaxBytes)
  const isBinary = content.subarray(0, 8000).includes(0)
  return { ...stat, content, isBinary, isUtf8: isUtf8(content), text: isBinary ? null : content.toString('utf8') }
}

/** A file of any size as a stream; memory stays flat. Destroying the stream ends the reading. */
export async function streamFile(
  repository: Repository,
  question: FileQuestion & { signal?: AbortSignal },
): Promise<FileStat & { stream: Readable }> {
  const stat = await statFile(repository, question)
  return { ...stat, stream: streamGit(repository, ['cat-file', 'blob', stat.objectId], question.signal) }
}

async function readBlob(
  repository: Repository,
  objectId: string,
  sizeBytes: number,
  maxBytes: number,
): Promise<Buffer> {
  if (sizeBytes > maxBytes) {
    throw new GitError('too_large', `This file has ${sizeBytes} bytes; at most ${maxBytes} can be read at once.`, {
      details: { sizeBytes, maxBytes },
    })
  }
  const found = await repository.readers.use((reader) => reader.contents(Buffer.from(objectId)))
  if (!found || found === 'ambiguous')
    throw new GitError('git_failed', 'The file is listed but its content is missing.')
  return found.content
}

async function findRemembered(repository: Repository, commit: string, path: Buffer): Promise<ObjectInfo | null> {
  const key = `${repository.path}\0${commit}\0${path.toString('latin1')}`
  const known = remembered.get(key)
  if (known) return known
  const found = await findObject(repository, commit, path)
  if (found && Object.keys(repository.variables).length === 0) remembered.set(key, found)
  return found
}
