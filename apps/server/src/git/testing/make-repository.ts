import { join } from 'node:path'
import { afterAll } from 'vitest'
import { closeAllReaders, createRepository, type FileChange, type Repository } from '../index.ts'
import { makeScratch } from './run-client.ts'

export const ada = { name: 'Ada', email: 'ada@example.com' }

const made: (() => Promise<void>)[] = []

// Registered while the test file is read, so that it runs once after all of its tests.
afterAll(async () => {
  closeAllReaders()
  for (const remove of made.splice(0)) await remove()
})

/** A repository with one commit, removed after the file's tests. */
export async function makeRepository(
  files: readonly FileChange[] = [{ path: 'README.md', content: '# Hello\n' }],
): Promise<{ repository: Repository; commit: string; scratch: string }> {
  const scratch = await makeScratch()
  made.push(scratch.remove)
  const { repository, commit } = await createRepository(join(scratch.path, 'repo.git'), {
    initialCommit: { files, message: 'First', author: ada },
  })
  return { repository, commit: commit ?? '', scratch: scratch.path }
}
