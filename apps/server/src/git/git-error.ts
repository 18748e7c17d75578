export type GitErrorCode =
  | 'repository_not_found'
  | 'already_exists'
  | 'invalid_ref'
  | 'ref_not_found'
  | 'ambiguous_ref'
  | 'invalid_path'
  | 'path_not_found'
  | 'invalid_input'
  | 'conflict'
  | 'stale'
  | 'busy'
  | 'nothing_to_merge'
  | 'unrelated_histories'
  | 'too_large'
  | 'timeout'
  | 'aborted'
  | 'invalid_url'
  | 'remote_unauthorized'
  | 'remote_unreachable'
  | 'remote_not_found'
  | 'remote_rejected'
  | 'host_key_changed'
  | 'git_failed'

const marker = Symbol.for('svc.git-error')

/** Every failure of this folder. `message` is a sentence for people; `privateText` may hold git's own words and paths. */
export class GitError extends Error {
  readonly [marker] = true
  readonly code: GitErrorCode
  readonly details: Readonly<Record<string, unknown>>
  readonly privateText: string

  constructor(
    code: GitErrorCode,
    message: string,
    more: { details?: Record<string, unknown>; privateText?: string; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.name = 'GitError'
    this.code = code
    this.details = more.details ?? {}
    this.privateText = more.privateText ?? ''
  }

  static isInstance(value: unknown, code?: GitErrorCode): value is GitError {
    if (!(value instanceof Error) || !(marker in value)) return false
    return code === undefined || ('code' in value && value.code === code)
  }
}
