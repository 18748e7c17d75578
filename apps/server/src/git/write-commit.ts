import { randomBytes } from 'node:crypto'
import { checkWritablePath } from './check-path.ts'
import { checkSha, isFullSha, zeroSha } from './check-ref.ts'
import { type CommitIdentity, formatIdentity, formatMessage } from './format-message.ts'
import { GitError } from './git-error.ts'
import { quoteBytes } from './quote-path.ts'
import type { Repository } from './repository.ts'
import { runGit } from './run-git.ts'

/** Content to write, or null to remove the file or directory at that path. */
export interface FileChange {
  readonly path: string
  readonly content: string | Buffer | null
  readonly mode?: '100644' | '100755'
}

export interface CommitDraft {
  readonly parent: string | null
  readonly changes: readonly FileChange[]
  readonly message: string
  readonly author: CommitIdentity
  readonly committer?: CommitIdentity
  readonly coAuthors?: readonly CommitIdentity[]
  readonly signal?: AbortSignal
}

/** Writes a commit with these changes on top of its parent, without a work tree. No ref moves. */
export async function writeCommit(repository: Repository, draft: CommitDraft): Promise<string> {
  // fast-import needs a branch name while it works; it is forgotten before any ref is written.
  const scratch = `refs/svc/scratch/${randomBytes(8).toString('hex')}`
  const parts: (string | Buffer)[] = [
    `commit ${scratch}\nmark :1\n`,
    `author ${formatIdentity(draft.author)}\n`,
    `committer ${formatIdentity(draft.committer ?? draft.author)}\n`,
    ...data(Buffer.from(formatMessage(draft.message, draft.coAuthors))),
  ]
  if (draft.parent !== null) parts.push(`from ${checkSha(draft.parent)}\n`)
  for (const change of draft.changes) parts.push(...writeChange(change))
  parts.push(`\nget-mark :1\nreset ${scratch}\nfrom ${zeroSha}\n\ndone\n`)

  const { stdout } = await runGit(repository, ['fast-import', '--quiet', '--done', '--cat-blob-fd=1'], {
    input: Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))),
    signal: draft.signal,
  })
  const commit = stdout.toString('latin1').trim()
  if (!isFullSha(commit)) throw new GitError('git_failed', 'The commit was not written.', { privateText: commit })
  return commit
}

function writeChange({ path, content, mode }: FileChange): (string | Buffer)[] {
  const quoted = quoteBytes(checkWritablePath(path))
  if (content === null) return [`D ${quoted}\n`]
  return [`M ${mode ?? '100644'} inline ${quoted}\n`, ...data(Buffer.from(content))]
}

function data(content: Buffer): (string | Buffer)[] {
  return [`data ${content.length}\n`, content, '\n']
}
