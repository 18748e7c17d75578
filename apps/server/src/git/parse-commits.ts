export interface Commit {
  readonly hash: string
  readonly shortHash: string
  readonly parents: readonly string[]
  readonly authorName: string
  readonly authorEmail: string
  readonly authoredAt: string
  readonly committerName: string
  readonly committerEmail: string
  readonly committedAt: string
  readonly subject: string
  readonly body: string
}

const fields = ['%H', '%h', '%P', '%an', '%ae', '%at', '%cn', '%ce', '%ct', '%s', '%b']
const separator = '\x1f'

/** One record per commit, closed by NUL (`-z`). Messages hold no NUL, so records cannot run into each other. */
export const commitFormat = `--format=tformat:${fields.join('%x1f')}`

export function parseCommits(output: Buffer): Commit[] {
  return output
    .toString('utf8')
    .split('\0')
    .filter((record) => record.includes(separator))
    .map(parseCommit)
}

function parseCommit(record: string): Commit {
  const parts = record.split(separator)
  const [hash = '', shortHash = '', parents = '', authorName = '', authorEmail = '', authored = ''] = parts
  const [committerName = '', committerEmail = '', committed = '', subject = '', ...body] = parts.slice(6)
  return {
    hash: hash.trim(),
    shortHash,
    parents: parents === '' ? [] : parents.split(' '),
    authorName,
    authorEmail,
    authoredAt: isoFromSeconds(authored),
    committerName,
    committerEmail,
    committedAt: isoFromSeconds(committed),
    subject,
    body: body.join(separator).trimEnd(),
  }
}

/** Commits may carry any number as a date; what JavaScript cannot say becomes the epoch. */
export function isoFromSeconds(seconds: string): string {
  const date = new Date(Number(seconds) * 1000)
  return Number.isNaN(date.getTime()) ? new Date(0).toISOString() : date.toISOString()
}
