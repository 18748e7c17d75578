import { BoundedCache } from './bounded-cache.ts'
import { readGitVersion } from './git-version.ts'
import { isoFromSeconds } from './parse-commits.ts'
import type { Repository } from './repository.ts'
import { readBranch } from './resolve-ref.ts'
import { runGit } from './run-git.ts'

export interface Branch {
  readonly name: string
  readonly isDefault: boolean
  readonly tip: string
  readonly tipShort: string
  readonly subject: string
  readonly committerName: string
  readonly committerEmail: string
  readonly committedAt: string
  /** Commits the default branch has not; null beyond the first hundred branches, or without a default branch. */
  readonly ahead: number | null
  readonly behind: number | null
}

interface Distance {
  readonly ahead: number
  readonly behind: number
}

const maxBranches = 1000
const maxCounted = 100
const distances = new BoundedCache<Distance>(20_000)
const fields = ['%(refname:lstrip=2)', '%(objectname)', '%(objectname:short)', '%(contents:subject)']
fields.push('%(committername)', '%(committeremail:trim)', '%(committerdate:unix)')

/** The default branch first, then the most recently committed to. At most a thousand. */
export async function listBranches(
  repository: Repository,
  { defaultBranch, signal }: { defaultBranch: string; signal?: AbortSignal },
): Promise<Branch[]> {
  const base = await readBranch(repository, defaultBranch)
  const rows = await readRows(repository, ['refs/heads/'], signal)
  // An old default branch may lie beyond the first thousand.
  const isListed = rows.some(({ name }) => name === defaultBranch)
  if (base && !isListed) rows.push(...(await readRows(repository, [`refs/heads/${defaultBranch}`], signal)))
  const marked = rows.map((row) => ({ ...row, isDefault: row.name === defaultBranch }))
  marked.sort((one, other) => Number(other.isDefault) - Number(one.isDefault))
  const counted = base ? marked.slice(0, maxCounted) : []
  const known = base ? await countDistances(repository, base, counted, signal) : new Map<string, Distance>()
  return marked.slice(0, maxBranches).map((row, index) => {
    const distance = index < maxCounted ? known.get(row.tip) : undefined
    return { ...row, ahead: distance?.ahead ?? null, behind: distance?.behind ?? null }
  })
}

async function readRows(repository: Repository, patterns: readonly string[], signal: AbortSignal | undefined) {
  const args = ['for-each-ref', '--sort=-committerdate', `--count=${maxBranches}`, `--format=${fields.join('%00')}%00`]
  const { stdout } = await runGit(repository, [...args, ...patterns], { signal })
  return parseRows(stdout.toString('utf8'))
}

function parseRows(text: string) {
  return text
    .split('\0\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [name = '', tip = '', tipShort = '', subject = '', committerName = '', committerEmail = '', at = ''] =
        line.split('\0')
      return { name, tip, tipShort, subject, committerName, committerEmail, committedAt: isoFromSeconds(at) }
    })
}

/** The distance between two commits never changes: counted once, remembered. */
async function countDistances(
  repository: Repository,
  base: string,
  rows: readonly { name: string; tip: string }[],
  signal: AbortSignal | undefined,
): Promise<Map<string, Distance>> {
  const found = new Map<string, Distance>()
  const missing: { name: string; tip: string }[] = []
  for (const row of rows) {
    const known = row.tip === base ? { ahead: 0, behind: 0 } : distances.get(`${base} ${row.tip}`)
    if (known) found.set(row.tip, known)
    else missing.push(row)
  }
  const counted =
    missing.length > 1 && (await readGitVersion()).atLeast(2, 41)
      ? await countTogether(repository, base, missing, signal)
      : await Promise.all(missing.map((row) => countOne(repository, base, row.tip, signal)))
  for (const [tip, distance] of counted) {
    found.set(tip, distance)
    distances.set(`${base} ${tip}`, distance)
  }
  return found
}

async function countOne(
  repository: Repository,
  base: string,
  tip: string,
  signal: AbortSignal | undefined,
): Promise<[string, Distance]> {
  const args = ['rev-list', '--left-right', '--count', `${base}...${tip}`, '--']
  const { stdout } = await runGit(repository, args, { signal })
  const [behind = 0, ahead = 0] = stdout.toString('latin1').trim().split('\t').map(Number)
  return [tip, { ahead, behind }]
}

async function countTogether(
  repository: Repository,
  base: string,
  rows: readonly { name: string }[],
  signal: AbortSignal | undefined,
): Promise<[string, Distance][]> {
  const args = ['for-each-ref', `--format=%(objectname) %(ahead-behind:${base})`]
  const { stdout } = await runGit(repository, [...args, ...rows.map(({ name }) => `refs/heads/${name}`)], { signal })
  return stdout
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [tip = '', ahead = '0', behind = '0'] = line.split(' ')
      return [tip, { ahead: Number(ahead), behind: Number(behind) }]
    })
}
