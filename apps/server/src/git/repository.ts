import { isAbsolute, normalize } from 'node:path'
import { GitError } from './git-error.ts'
import { ReaderPool } from './reader-pool.ts'
import type { GitPlace } from './run-git.ts'

/** A handle on a bare repository. Cheap; opening one touches neither disk nor process until it is used. */
export interface Repository extends GitPlace {
  readonly readers: ReaderPool
}

const open = new Map<string, WeakRef<Repository>>()

/** The handle for the bare repository at `path`. Handles of one path share their object readers. */
export function openRepository(path: string): Repository {
  if (!isAbsolute(path)) throw new GitError('invalid_input', 'A repository is opened by its absolute path.')
  const key = normalize(path).replace(/\/+$/, '')
  const known = open.get(key)?.deref()
  if (known) return known
  const place = { path: key, variables: {} }
  const repository: Repository = { ...place, readers: new ReaderPool(place) }
  open.set(key, new WeakRef(repository))
  if (open.size % 1000 === 0) for (const [name, handle] of open) if (!handle.deref()) open.delete(name)
  return repository
}

/** The same repository seen from inside a push: new objects are readable, nothing is accepted yet. Close it after. */
export function openQuarantine(repository: Repository, variables: Readonly<Record<string, string>>): Repository {
  const place = { path: repository.path, variables }
  return { ...place, readers: new ReaderPool(place) }
}

/** Ends the object readers of a handle. The handle stays usable: the next read starts a new one. */
export function closeRepository(repository: Repository): void {
  repository.readers.close()
}
