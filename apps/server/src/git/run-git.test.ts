import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { GitError, listFiles, readFile, searchContent } from './index.ts'
import { runGit } from './run-git.ts'
import { makeRepository } from './testing/make-repository.ts'

const code = (error: unknown) => (GitError.isInstance(error) ? error.code : error)
const before = { ...process.env }

afterEach(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  Object.assign(process.env, before)
})

describe('running git', () => {
  test('nothing of the environment the server was started in reaches git', async () => {
    const { repository, scratch } = await makeRepository()
    await mkdir(join(scratch, 'home'))
    await writeFile(join(scratch, 'home', '.gitconfig'), '[core]\n\tpager = touch owned\n[alias]\n\tx = !echo alias\n')
    Object.assign(process.env, {
      HOME: join(scratch, 'home'),
      GIT_DIR: '/nonexistent',
      GIT_INDEX_FILE: '/nonexistent',
      GIT_CONFIG_PARAMETERS: "'core.bare=false'",
      GIT_EXTERNAL_DIFF: 'false',
      GIT_TRACE: '1',
    })
    const { stdout, stderr } = await runGit(repository, ['config', '--list', '--show-origin'])
    expect(stdout.toString()).not.toMatch(/pager|alias/)
    expect(stderr).toBe('')
    expect((await readFile(repository, { ref: 'main', path: 'README.md' })).text).toBe('# Hello\n')
  })

  test('a cancelled call ends git and says so, before and during', async () => {
    const { repository } = await makeRepository()
    expect(await runGit(repository, ['version'], { signal: AbortSignal.abort() }).catch(code)).toBe('aborted')
    const controller = new AbortController()
    // Waits for input that never comes to an end on its own.
    const running = runGit(repository, ['-c', 'alias.wait=!sleep 60', 'wait'], { signal: controller.signal })
    setTimeout(() => controller.abort(), 50)
    expect(await running.catch(code)).toBe('aborted')
    const gone = { signal: AbortSignal.abort() }
    expect(await listFiles(repository, { ref: 'main', ...gone }).catch(code)).toBe('aborted')
    expect(await searchContent(repository, { ref: 'main', query: 'x', ...gone }).catch(code)).toBe('aborted')
  })

  test('a call that takes too long and an answer that is too long are ended', async () => {
    const { repository } = await makeRepository([{ path: 'big', content: Buffer.alloc(1_000_000, 'x') }])
    const slow = runGit(repository, ['-c', 'alias.wait=!sleep 60', 'wait'], { timeoutMs: 50 })
    expect(await slow.catch(code)).toBe('timeout')
    const long = runGit(repository, ['cat-file', 'blob', 'main:big'], { maxOutputBytes: 1000 })
    expect(await long.catch(code)).toBe('too_large')
  })

  test('a failure keeps what git said away from the public message', async () => {
    const { repository } = await makeRepository()
    const failed = await runGit(repository, ['cat-file', 'blob', 'main:none']).catch((error: unknown) => error)
    expect(code(failed)).toBe('git_failed')
    expect(String(failed)).not.toContain('none')
    expect(GitError.isInstance(failed) && failed.privateText).toContain('none')
  })
})
