import { GitError, type GitErrorCode } from './git-error.ts'

const explanations: readonly (readonly [RegExp, GitErrorCode, string])[] = [
  [
    /Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED/i,
    'host_key_changed',
    'The host shows another key than the one pinned on first use. Check with its operator before you trust it again.',
  ],
  [
    /Authentication failed|could not read (?:Username|Password)|Permission denied|error: 40[13]|invalid credentials|HTTP Basic: Access denied/i,
    'remote_unauthorized',
    'The other host refused the stored git credential. Store one that may read and write this repository.',
  ],
  [
    /proxy refused|CONNECT|Proxy|response 40[37] from proxy/,
    'remote_unreachable',
    'This host may not be dialled from here.',
  ],
  [
    /[Rr]epository (?:'[^']*' )?not found|does not appear to be a git repository|error: 404/i,
    'remote_not_found',
    'There is no such repository on the other host, or the credential may not see it.',
  ],
  [
    /stale info|\[rejected\]|\[remote rejected\]|failed to push/,
    'remote_rejected',
    'The other host did not take the push: its branch has moved, or a rule there forbids it.',
  ],
  [
    /signal 25|File size limit|File too large|file write error/i,
    'too_large',
    'The repository on the other host is larger than allowed.',
  ],
  [
    /unable to access|redirect|Could not resolve|Connection (?:refused|timed out|closed|reset)|Could not read from remote|early EOF|hung up/i,
    'remote_unreachable',
    'The other host could not be reached.',
  ],
]

/** Turns what git said about another host into an error a person can act on, with every secret removed. */
export function explainRemoteFailure(error: unknown, secret: string | null): unknown {
  if (!GitError.isInstance(error, 'git_failed') && !GitError.isInstance(error, 'repository_not_found')) return error
  const privateText = secret ? error.privateText.replaceAll(secret, '***') : error.privateText
  for (const [pattern, code, message] of explanations) {
    if (pattern.test(privateText)) return new GitError(code, message, { privateText, details: { ...error.details } })
  }
  return new GitError('git_failed', error.message, { privateText, details: { ...error.details } })
}
