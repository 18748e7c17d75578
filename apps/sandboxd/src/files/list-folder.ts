import type { Dirent } from 'node:fs'
import { opendir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { runGit } from '../git/run-git.ts'
import { openFolder } from './open-inside.ts'
import type { Roots } from './roots.ts'

export interface FolderEntry {
  readonly name: string
  readonly path: string
  readonly absolute: string
  readonly type: 'file' | 'directory'
  readonly ignored: boolean
}

/** No screen shows more; a folder of a million files must not fill the daemon's memory. */
const maxEntries = 10_000

/** Directories first, then by name. A link counts as what it points to. */
export async function listFolder(roots: Roots, path: string, env: Record<string, string>): Promise<FolderEntry[]> {
  const absolute = roots.resolve(path)
  const folder = await openFolder(roots, path)
  try {
    const entries = await readEntries(folder.at('.'))
    const types = await Promise.all(
      entries.map(async (entry) =>
        entry.isSymbolicLink() ? isFolderBehind(folder.at(entry.name)) : entry.isDirectory(),
      ),
    )
    const ignored = await findIgnored(folder.realPath, entries, env)
    const rows = entries.map((entry, index): FolderEntry => {
      const full = join(absolute, entry.name)
      const type = types[index] ? 'directory' : 'file'
      return { name: entry.name, path: roots.display(full), absolute: full, type, ignored: ignored.has(entry.name) }
    })
    return rows.sort(byTypeThenName)
  } finally {
    await folder.close()
  }
}

async function readEntries(path: string): Promise<Dirent[]> {
  const entries: Dirent[] = []
  for await (const entry of await opendir(path)) {
    entries.push(entry)
    if (entries.length >= maxEntries) break
  }
  return entries
}

const byTypeThenName = (one: FolderEntry, other: FolderEntry) =>
  one.type === other.type ? compare(one.name, other.name) : one.type === 'directory' ? -1 : 1

const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)

async function isFolderBehind(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    // A link to nowhere is shown as a file, which is what reading it will find missing.
    return false
  }
}

async function findIgnored(cwd: string, entries: readonly { name: string }[], env: Record<string, string>) {
  const ignored = new Set(entries.some(({ name }) => name === '.git') ? ['.git'] : [])
  const input = entries.map(({ name }) => `${name}\0`).join('')
  if (input === '') return ignored
  const result = await runGit(['check-ignore', '-z', '--stdin'], { cwd, env, input, timeoutMs: 5_000 })
  // 1: nothing is ignored; 128: not a repository.
  if (result.exitCode === 0) for (const name of result.stdout.split('\0')) ignored.add(name)
  return ignored
}
