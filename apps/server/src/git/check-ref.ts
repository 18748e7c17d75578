import { GitError } from './git-error.ts'

export const zeroSha = '0'.repeat(40)

const refCharacters = /^[A-Za-z0-9._/-]{1,250}$/
const fullSha = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
const someSha = /^[0-9a-f]{4,64}$/i

export function isFullSha(text: string): boolean {
  return fullSha.test(text)
}

export function isSomeSha(text: string): boolean {
  return someSha.test(text)
}

/** What a person may name: a branch, a tag or a commit id. No options, no ranges, no refspecs, no reflog syntax. */
export function checkRevision(ref: string): string {
  const bad =
    !refCharacters.test(ref) ||
    ref.startsWith('-') ||
    ref.startsWith('/') ||
    ref.endsWith('/') ||
    ref.endsWith('.') ||
    ref.includes('..') ||
    ref.includes('//') ||
    ref.split('/').some((part) => part.startsWith('.') || part.endsWith('.lock'))
  if (bad) throw invalidRef(ref)
  return ref
}

/** A branch that may be created or moved: never one that reads as another kind of name. */
export function checkBranch(name: string): string {
  checkRevision(name)
  if (name.startsWith('refs/') || name === 'HEAD' || isFullSha(name)) throw invalidRef(name)
  return name
}

export function checkSha(sha: string): string {
  if (!isFullSha(sha)) throw new GitError('invalid_ref', 'A commit id has 40 hexadecimal digits.')
  return sha
}

export function branchRef(name: string): string {
  return `refs/heads/${checkBranch(name)}`
}

/** Why a pushed ref is refused whatever the caller's policy says, or null. The client shows the sentence. */
export function explainForbiddenRef(ref: string): string | null {
  const name = /^refs\/(?:heads|tags)\/(.+)$/.exec(ref)?.[1]
  if (name === undefined) return `${ref}: only branches and tags can be pushed here.`
  if (name.startsWith('-')) return `${ref}: a name must not start with a dash.`
  if (name.startsWith('refs/') || name === 'HEAD' || isFullSha(name)) {
    return `${ref}: this name reads as another kind of ref; choose a different one.`
  }
  return null
}

function invalidRef(ref: string): GitError {
  return new GitError(
    'invalid_ref',
    'This is no valid branch, tag or commit id. Allowed: letters, digits, dot, dash, underscore and slash.',
    { details: { ref: ref.slice(0, 200) } },
  )
}
