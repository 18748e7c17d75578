import type { Readable } from 'node:stream'
import { checkPath } from './check-path.ts'
import { GitError } from './git-error.ts'
import type { Repository } from './repository.ts'
import { findObject, resolveRef } from './resolve-ref.ts'
import { streamGit } from './stream-git.ts'

export interface ArchiveQuestion {
  readonly ref: string
  readonly path?: string
  /** The folder everything unpacks into. */
  readonly folder?: string
  readonly signal?: AbortSignal
}

/**
 * A gzipped tarball of a commit or of one path in it, streamed. `entityTag` names the content: the same commit, path
 * and folder give the same files.
 */
export async function archiveTree(
  repository: Repository,
  { ref, path = '', folder, signal }: ArchiveQuestion,
): Promise<{ commit: string; entityTag: string; stream: Readable }> {
  const bytes = checkPath(path)
  const commit = await resolveRef(repository, ref)
  const found = await findObject(repository, commit, bytes)
  if (!found) throw new GitError('path_not_found', `There is nothing at ${path} in ${ref}.`, { details: { path, ref } })
  const args = ['archive', '--format=tar.gz', ...(folder === undefined ? [] : [`--prefix=${checkFolder(folder)}/`])]
  // A name that no argument can carry is reached by its object instead of its path.
  if (bytes.length === 0) args.push(commit)
  else if (bytes.toString('utf8') === path.replace(/\/$/, '')) args.push(commit, '--', path)
  else if (found.type === 'tree') args.push(found.objectId)
  else throw new GitError('invalid_path', 'A file with this name can be read, but not archived on its own.')
  return { commit, entityTag: `${commit}-${found.objectId}`, stream: streamGit(repository, args, signal) }
}

function checkFolder(folder: string): string {
  if (!/^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$/.test(folder)) {
    throw new GitError('invalid_input', 'The folder of an archive is one plain name.')
  }
  return folder
}
