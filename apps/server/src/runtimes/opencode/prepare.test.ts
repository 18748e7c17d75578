import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { makeTestMachine, placeFiles, testInput } from '../testing/run-runtime.ts'
import { prepareOpencode } from './prepare.ts'

describe('the workspace that the runtime finds', () => {
  let machine: Awaited<ReturnType<typeof makeTestMachine>>
  beforeEach(async () => {
    machine = await makeTestMachine({ opencode: '/nonexistent', pi: '', piBridge: '' })
  })
  afterEach(() => machine.remove())

  const at = (path: string) => join(machine.paths.workspace, path)
  const git = (...args: string[]) => execFileSync('git', args, { cwd: at(''), encoding: 'utf8' })

  /** All that the launcher does but start the runtime. */
  async function settle() {
    const { files, process: described } = prepareOpencode(testInput('http://127.0.0.1:1/v1'), machine.paths)
    await placeFiles(files)
    const [command = '', ...args] = described.settle ?? []
    execFileSync(command, args, { env: { PATH: process.env.PATH, ...described.env } })
  }

  test('has a folder of settings with nothing left to install, though the repository has none, and git sees none of it', async () => {
    // As checkouts are made for machines: without what git puts into a new repository.
    git('init', '-q', '--template=')
    await settle()
    await settle()
    expect((await readdir(at('.svc/opencode'))).sort()).toEqual(['node_modules', 'package-lock.json'])
    expect(git('status', '--porcelain', '--untracked-files=all')).toBe('')
  })

  test('stays empty while the repository is still to come', async () => {
    await settle()
    expect(existsSync(at('.svc'))).toBe(false)
  })
})
