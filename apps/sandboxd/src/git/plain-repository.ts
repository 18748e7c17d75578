import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BootRepository } from '../boot/boot-config.ts'

/**
 * A workspace that was copied from a prepared checkout has the plainest repository there is: settings that nobody has
 * changed, and a branch with a file of its own. What is needed of it is read and written here without starting a single
 * git, of which a boot would need eight. Whatever is not that plain is left to git.
 */
export function readPlainHead(workspace: string): { branch: string; commitSha: string } | undefined {
  const head = readText(join(workspace, '.git', 'HEAD'))
  const branch = /^ref: refs\/heads\/([\w-][\w./-]*)\n$/.exec(head ?? '')?.[1]
  if (branch === undefined || branch.includes('..')) return undefined
  const commitSha = readText(join(workspace, '.git', 'refs', 'heads', branch))?.trim()
  return commitSha !== undefined && /^[0-9a-f]{40}$/.test(commitSha) ? { branch, commitSha } : undefined
}

/** False when there are settings already that have to be changed one by one. */
export function writeFirstSettings(workspace: string, repository: BootRepository): boolean {
  const file = join(workspace, '.git', 'config')
  const found = readText(file)
  if (found === undefined || /^\s*\[\s*(remote|user|include)/im.test(found)) return false
  const { url, authorName, authorEmail } = repository
  if ([url, authorName, authorEmail].some((value) => !/^[ -~]*$/.test(value))) return false
  const lines = [
    '[remote "origin"]',
    `\turl = ${quote(url)}`,
    '\tfetch = +refs/heads/*:refs/remotes/origin/*',
    '[user]',
    `\tname = ${quote(authorName)}`,
    `\temail = ${quote(authorEmail)}`,
  ]
  appendFileSync(file, `${found.endsWith('\n') || found === '' ? '' : '\n'}${lines.join('\n')}\n`)
  return true
}

const quote = (value: string) => `"${value.replace(/["\\]/g, '\\$&')}"`

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Not there, or not a file: git knows what to make of it.
    return undefined
  }
}
