import type { Branch, Commit, DiffFile, TreeEntry } from '../../git/index.ts'

/** How git's answers look on the wire. */

export function toCommit(commit: Commit) {
  return {
    hash: commit.hash,
    short_hash: commit.shortHash,
    parents: [...commit.parents],
    author_name: commit.authorName,
    author_email: commit.authorEmail,
    authored_at: commit.authoredAt,
    committer_name: commit.committerName,
    committer_email: commit.committerEmail,
    committed_at: commit.committedAt,
    subject: commit.subject,
    body: commit.body,
  }
}

export function toCommitFile({ path, oldPath, status, additions, deletions }: Omit<DiffFile, 'patch'>) {
  return { path, old_path: oldPath, status, additions, deletions }
}

export function toFile({ path, sizeBytes }: TreeEntry) {
  return { path, type: 'file' as const, size: sizeBytes }
}

export function toBranch(branch: Branch) {
  return {
    name: branch.name,
    is_default: branch.isDefault,
    tip: branch.tip,
    tip_short: branch.tipShort,
    subject: branch.subject,
    committer_name: branch.committerName,
    committer_email: branch.committerEmail,
    committed_at: branch.committedAt,
    ahead: branch.ahead,
    behind: branch.behind,
  }
}
