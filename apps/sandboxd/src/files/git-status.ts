import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { runGit } from '../git/run-git.ts'

export interface ChangedFile {
  readonly path: string
  readonly added: number
  readonly removed: number
  readonly status: 'added' | 'deleted' | 'modified'
}

const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
const maxCountedFiles = 1_000
const maxCountedBytes = 1_048_576

/** What differs from the last commit, untracked files included. Without a repository nothing does. */
export async function listChanges(workspace: string, env: Readonly<Record<string, string>>): Promise<ChangedFile[]> {
  const git = (...args: string[]) => runGit(args, { cwd: workspace, env, timeoutMs: 20_000 })
  const head = await git('rev-parse', '--verify', '-q', 'HEAD')
  if (head.exitCode !== 0 && head.exitCode !== 1) return []
  const base = head.exitCode === 0 ? 'HEAD' : emptyTree
  const [names, numbers, untracked] = await Promise.all([
    git('diff', '--no-renames', '--no-ext-diff', '--name-status', '-z', base, '--'),
    git('diff', '--no-renames', '--no-ext-diff', '--numstat', '-z', base, '--'),
    git('ls-files', '-o', '--exclude-standard', '-z'),
  ])
  const counts = parseNumbers(numbers.stdout)
  const tracked = parseNames(names.stdout).map(({ path, letter }): ChangedFile => {
    const { added = 0, removed = 0 } = counts.get(path) ?? {}
    return { path, added, removed, status: letter === 'A' ? 'added' : letter === 'D' ? 'deleted' : 'modified' }
  })
  const fresh = untracked.stdout.split('\0').filter((path) => path !== '')
  const added: ChangedFile[] = []
  const buffer = Buffer.alloc(maxCountedBytes)
  for (const path of fresh) {
    const lines = added.length < maxCountedFiles ? await countLines(join(workspace, path), buffer) : 0
    added.push({ path, added: lines, removed: 0, status: 'added' })
  }
  return [...tracked, ...added].sort((one, other) => (one.path < other.path ? -1 : 1))
}

function parseNames(text: string): { letter: string; path: string }[] {
  const fields = text.split('\0')
  const rows: { letter: string; path: string }[] = []
  for (let index = 0; index + 1 < fields.length; index += 2) {
    rows.push({ letter: (fields[index] ?? '').slice(0, 1), path: fields[index + 1] ?? '' })
  }
  return rows
}

function parseNumbers(text: string): Map<string, { added: number; removed: number }> {
  const counts = new Map<string, { added: number; removed: number }>()
  for (const row of text.split('\0')) {
    const [added, removed, path] = row.split('\t')
    // Binary files have dashes for numbers.
    if (path) counts.set(path, { added: Number(added) || 0, removed: Number(removed) || 0 })
  }
  return counts
}

async function countLines(path: string, buffer: Buffer): Promise<number> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
      const text = buffer.subarray(0, bytesRead)
      if (text.includes(0)) return 0
      let lines = bytesRead === 0 || text.at(-1) === 0x0a ? 0 : 1
      for (const byte of text) if (byte === 0x0a) lines += 1
      return lines
    } finally {
      await file.close()
    }
  } catch {
    // A link, or removed since git listed it.
    return 0
  }
}
