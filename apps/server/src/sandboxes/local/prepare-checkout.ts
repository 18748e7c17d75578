import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { WorkspaceSource } from '../provider.ts'
import type { Layout } from './layout.ts'
import { runProgram } from './run-program.ts'

const gitTimeoutMs = 120_000
/** Of all projects together; each is as large as its repository. */
const keptCheckouts = 16
/** Somebody may be copying one that was used this recently. */
const inUseMs = 10 * 60_000

/**
 * The repository at a commit, checked out once and copied by every machine that begins there. No guest ever sees it:
 * what a guest changes is its own copy.
 */
export async function prepareCheckout(
  { checkouts }: Layout,
  { repositoryPath, commit }: WorkspaceSource,
): Promise<string> {
  const name = createHash('sha256').update(`${repositoryPath} ${commit}`).digest('hex').slice(0, 32)
  const folder = join(checkouts, name)
  if (!existsSync(folder)) {
    const draft = await mkdtemp(join(checkouts, 'draft-'))
    try {
      await checkOut(draft, repositoryPath, commit)
      // Whoever was faster has made the same.
      await rename(draft, folder).catch(() => undefined)
    } finally {
      await rm(draft, { recursive: true, force: true })
    }
    await removeOld(checkouts)
  }
  const now = new Date()
  await utimes(folder, now, now)
  return folder
}

/** With no setting of this host's and no hook: a tree is data, never a program. */
async function checkOut(folder: string, repositoryPath: string, commit: string): Promise<void> {
  const settings = ['-c', 'core.hooksPath=/dev/null', '-c', 'safe.directory=*', '-c', 'protocol.file.allow=always']
  const git = async (...args: string[]) => {
    const { code, output } = await runProgram('git', [...settings, ...args], {
      timeoutMs: gitTimeoutMs,
      env: { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0', HOME: '/nonexistent' },
    })
    if (code !== 0) throw new Error(`the workspace could not be prepared: git ${args[0]}: ${output}`)
  }
  const anyCommit = '--upload-pack=git -c safe.directory=* -c uploadpack.allowAnySHA1InWant=true upload-pack'
  await git('init', '-q', '--template=', folder)
  await git('-C', folder, 'fetch', '-q', '--no-tags', anyCommit, `file://${repositoryPath}`, commit)
  await git('-C', folder, 'checkout', '-q', '--detach', commit)
  await rm(join(folder, '.git', 'FETCH_HEAD'), { force: true })
}

async function removeOld(checkouts: string): Promise<void> {
  const found = await Promise.all(
    (await readdir(checkouts)).map(async (name) => {
      const path = join(checkouts, name)
      return { path, usedMs: (await stat(path).catch(() => ({ mtimeMs: Date.now() }))).mtimeMs }
    }),
  )
  const old = found.sort((a, b) => b.usedMs - a.usedMs).slice(keptCheckouts)
  for (const { path, usedMs } of old) {
    if (Date.now() - usedMs > inUseMs) await rm(path, { recursive: true, force: true })
  }
}
