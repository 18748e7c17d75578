import { join } from 'node:path'
import { afterAll } from 'vitest'
import { closeRepository, createRepository, type FileChange, type Repository } from '../index.ts'
import { makeScratch } from './run-client.ts'

export const ada = { name: 'Ada', email: 'ada@example.com' }

/** A repository with one commit, removed after the file's tests. */
export async function makeRepository(
  files: readonly FileChange[] = [{ path: 'README.md', content: '# Hello\n' }],
): Promise<{ repository: Repository; commit: string; scratch: string }> {
  const scratch = await makeScratch()
  const { repository, commit } = await createRepository(join(scratch.path, 'repo.git'), {
    initialCommit: { files, message: 'First', author: ada },
  })
  afterAll(async () => {
    closeRepository(repository)
    await scratch.remove()
  })
  return { repository, commit: commit ?? '', scratch: scratch.path }
}
