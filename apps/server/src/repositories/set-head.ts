import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checkBranch, type Repository } from '../git/index.ts'

/** Names the branch that a clone checks out. Takes git's own lock on HEAD, so it never meets another writer. */
export async function setHead({ path }: Repository, branch: string): Promise<void> {
  const lock = join(path, 'HEAD.lock')
  await writeFile(lock, `ref: refs/heads/${checkBranch(branch)}\n`, { flag: 'wx' })
  await rename(lock, join(path, 'HEAD')).catch(async (error: unknown) => {
    await rm(lock, { force: true })
    throw error
  })
}
