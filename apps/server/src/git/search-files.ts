import { checkPath } from './check-path.ts'
import { GitError } from './git-error.ts'
import { parseTreeLine, walkTree } from './list-files.ts'
import { pathFromBytes } from './quote-path.ts'
import type { Repository } from './repository.ts'
import { findTree, resolveRef } from './resolve-ref.ts'
import { runGit } from './run-git.ts'

export interface SearchQuestion {
  readonly query: string
  readonly ref: string
  readonly limit?: number
  readonly path?: string
  readonly hides?: (path: string) => boolean
  readonly signal?: AbortSignal
}

export interface LineMatch {
  readonly path: string
  readonly lineNumber: number
  readonly lineText: string
}

const maxLimit = 200
const maxQueryLength = 1000
const maxPerFile = 10
const maxLineLetters = 400
const searchTimeoutMs = 20_000

/** Paths that hold the query, case-insensitive: base names that start with it, base names that hold it, then paths. */
export async function searchNames(
  repository: Repository,
  question: SearchQuestion,
): Promise<{ commit: string; paths: string[] }> {
  const needle = checkQuery(question.query).toLowerCase()
  const { commit, tree, prefix } = await findRoot(repository, question)
  const limit = clampLimit(question.limit)
  const ranked: [string[], string[], string[]] = [[], [], []]
  await walkTree(repository, tree, { recursive: true, keep: true, signal: question.signal }, (line) => {
    const { path } = parseTreeLine(line, prefix)
    const rank = rankName(path.toLowerCase(), needle)
    if (rank !== null && ranked[rank].length < limit && !question.hides?.(path)) ranked[rank].push(path)
    return ranked[0].length < limit
  })
  return { commit, paths: ranked.flat().slice(0, limit) }
}

/** Lines that hold the query: a fixed string, case-insensitive, no binary files, at most ten lines of a file. */
export async function searchContent(
  repository: Repository,
  question: SearchQuestion,
): Promise<{ commit: string; matches: LineMatch[] }> {
  const query = checkQuery(question.query)
  const { commit, tree, prefix } = await findRoot(repository, question)
  const limit = clampLimit(question.limit)
  const matches: LineMatch[] = []
  const collector = collectMatches(tree.length + 1, (path, lineNumber, lineText) => {
    const full = prefix + path
    if (!question.hides?.(full)) matches.push({ path: full, lineNumber, lineText })
    return matches.length < limit
  })
  const args = ['grep', '-z', '-n', '-I', '-i', '-F', '--no-color', `--max-count=${maxPerFile}`, '--threads=2']
  await runGit(repository, [...args, '-e', query, tree, '--'], {
    answers: [1],
    timeoutMs: searchTimeoutMs,
    signal: question.signal,
    onOutput: collector,
  })
  return { commit, matches }
}

function rankName(path: string, needle: string): 0 | 1 | 2 | null {
  if (!path.includes(needle)) return null
  const base = path.slice(path.lastIndexOf('/') + 1)
  if (base.startsWith(needle)) return 0
  return base.includes(needle) ? 1 : 2
}

/** Reads `<tree>:<path>\0<number>\0<text>\n` records; of a long line only its beginning is kept. */
function collectMatches(
  skipBytes: number,
  onMatch: (path: string, lineNumber: number, lineText: string) => boolean,
): (piece: Buffer) => boolean {
  const maxKeptBytes = maxLineLetters * 4
  let fields: Buffer[] = []
  let current: Buffer[] = []
  let kept = 0
  const keep = (part: Buffer, bounded: boolean) => {
    const take = bounded ? part.subarray(0, Math.max(0, maxKeptBytes - kept)) : part
    current.push(Buffer.from(take))
    kept += take.length
  }
  return (piece) => {
    let from = 0
    while (from < piece.length) {
      const inText = fields.length === 2
      const end = piece.indexOf(inText ? 0x0a : 0, from)
      keep(piece.subarray(from, end === -1 ? piece.length : end), inText)
      if (end === -1) return true
      from = end + 1
      fields.push(Buffer.concat(current))
      current = []
      kept = 0
      if (!inText) continue
      const [name, number, text] = fields
      fields = []
      if (!name || !number || !text) continue
      const lineText = text.toString('utf8').replace(/\r$/, '').slice(0, maxLineLetters)
      if (!onMatch(pathFromBytes(name.subarray(skipBytes)), Number(number.toString('latin1')), lineText)) return false
    }
    return true
  }
}

async function findRoot(repository: Repository, { ref, path }: SearchQuestion) {
  const bytes = checkPath(path ?? '')
  const commit = await resolveRef(repository, ref)
  const found = await findTree(repository, commit, bytes)
  if (!found) throw new GitError('path_not_found', `There is no directory ${path} at ${ref}.`)
  return { commit, tree: found.objectId, prefix: bytes.length === 0 ? '' : `${path?.replace(/\/$/, '')}/` }
}

function checkQuery(query: string): string {
  if (query === '' || query.length > maxQueryLength || /[\0\n\r]/.test(query)) {
    throw new GitError('invalid_input', `Search for one line of 1 to ${maxQueryLength} characters.`)
  }
  return query
}

function clampLimit(limit = 50): number {
  return Math.min(Math.max(Math.trunc(limit), 1), maxLimit)
}
