import { GitError } from './git-error.ts'
import { pathToBytes } from './quote-path.ts'

const maxPathBytes = 4096

/**
 * The bytes of a path that is safe to look up: relative, no `.` or `..` part, no NUL. An empty path is the root.
 * A trailing slash is dropped.
 */
export function checkPath(path: string): Buffer {
  const trimmed = path.endsWith('/') && path !== '/' ? path.slice(0, -1) : path
  const bytes = pathToBytes(trimmed)
  if (bytes.length === 0) return bytes
  if (bytes.length > maxPathBytes) throw invalidPath(path, 'it is too long')
  if (bytes.includes(0)) throw invalidPath(path, 'it holds a NUL byte')
  for (const part of bytes.toString('latin1').split('/')) {
    if (part === '') throw invalidPath(path, 'it must be relative, without empty parts')
    if (part === '.' || part === '..') throw invalidPath(path, 'it must not hold . or ..')
  }
  return bytes
}

/** A path that may be written: also no name that some file system takes for `.git`. */
export function checkWritablePath(path: string): Buffer {
  const bytes = checkPath(path)
  if (bytes.length === 0) throw invalidPath(path, 'it is empty')
  for (const part of bytes.toString('utf8').split('/')) {
    if (isDotGit(part)) throw invalidPath(path, '.git is reserved')
  }
  return bytes
}

// HFS+ ignores these code points in names; NTFS drops trailing dots and spaces, cuts at a colon and has short names.
const ignoredByHfs = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

function isDotGit(part: string): boolean {
  const folded = part.replace(ignoredByHfs, '').toLowerCase().split(':')[0] ?? ''
  const bare = folded.split('\\').map((piece) => piece.replace(/[. ]+$/, ''))
  return bare.some((piece) => piece === '.git' || piece === 'git~1')
}

function invalidPath(path: string, why: string): GitError {
  return new GitError('invalid_path', `This path cannot be used: ${why}.`, { details: { path: path.slice(0, 200) } })
}
