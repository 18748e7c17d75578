import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { opendir } from 'node:fs/promises'
import { join, relative } from 'node:path'

const maxFiles = 200_000
const skipped = new Set(['.git', 'node_modules', '.cache', '.venv', '__pycache__'])

/**
 * The files of the workspace by their relative paths, at most two hundred thousand: what git knows or would take, or in
 * a folder without git everything but what tools leave behind.
 */
export async function listTree(workspace: string, env: Readonly<Record<string, string>>): Promise<string[]> {
  const fromGit = existsSync(join(workspace, '.git')) ? await listByGit(workspace, env) : undefined
  return fromGit ?? listByWalking(workspace)
}

function listByGit(cwd: string, env: Readonly<Record<string, string>>): Promise<string[] | undefined> {
  return new Promise((resolve) => {
    const args = ['-c', 'core.fsmonitor=false', 'ls-files', '-coz', '--exclude-standard', '--deduplicate']
    const git = spawn('git', args, { cwd, env, stdio: ['ignore', 'pipe', 'ignore'] })
    const files: string[] = []
    let open = ''
    git.stdout.setEncoding('utf8').on('data', (text: string) => {
      const names = (open + text).split('\0')
      open = names.pop() ?? ''
      files.push(...names)
      if (files.length >= maxFiles) git.kill('SIGKILL')
    })
    git.once('error', () => resolve(undefined))
    git.once('close', (code) => resolve(code === 0 || files.length >= maxFiles ? files.slice(0, maxFiles) : undefined))
  })
}

async function listByWalking(root: string): Promise<string[]> {
  const files: string[] = []
  const folders = [root]
  while (folders.length > 0 && files.length < maxFiles) {
    const folder = folders.pop() ?? root
    try {
      for await (const entry of await opendir(folder)) {
        if (entry.isDirectory() && !skipped.has(entry.name)) folders.push(join(folder, entry.name))
        if (entry.isFile()) files.push(relative(root, join(folder, entry.name)))
        if (files.length >= maxFiles) break
      }
    } catch {
      // A folder that vanished or is closed has no files for a search.
    }
  }
  return files
}
