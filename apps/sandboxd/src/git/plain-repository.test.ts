import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readPlainHead, writeFirstSettings } from './plain-repository.ts'

let workspace = ''
const git = (...args: string[]) => execFileSync('git', ['-C', workspace, ...args], { encoding: 'utf8' }).trim()
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'svc-plain-'))
  git('init', '-q', '-b', 'main')
})
afterEach(() => rmSync(workspace, { recursive: true, force: true }))

const repository = {
  url: 'http://127.0.0.1:4098/v1/git/a.git',
  branch: 'main',
  baseRef: 'main',
  authorName: 'An "agent" \\ with #1; words',
  authorEmail: 'agent@example.com',
}

test('git reads the settings as they were meant, and settings that exist are not touched', () => {
  expect(writeFirstSettings(workspace, repository)).toBe(true)
  expect(git('config', 'remote.origin.url')).toBe(repository.url)
  expect(git('config', 'remote.origin.fetch')).toBe('+refs/heads/*:refs/remotes/origin/*')
  expect(git('config', 'user.name')).toBe(repository.authorName)
  expect(git('config', 'user.email')).toBe(repository.authorEmail)
  expect(writeFirstSettings(workspace, repository)).toBe(false)
})

test('a value that could become another setting is left to git', () => {
  expect(writeFirstSettings(workspace, { ...repository, authorName: 'a\n[core]\n\tfsmonitor = evil' })).toBe(false)
  expect(git('config', '--get', 'core.repositoryformatversion')).toBe('0')
})

test('the head is known where git knows it the same, and nowhere else', () => {
  expect(readPlainHead(workspace)).toBeUndefined()
  git('-c', 'user.name=T', '-c', 'user.email=t@example.com', 'commit', '-q', '--allow-empty', '-m', 'First')
  git('checkout', '-q', '-b', 'feature/a.b')
  const commitSha = git('rev-parse', 'HEAD')
  expect(readPlainHead(workspace)).toEqual({ branch: 'feature/a.b', commitSha })
  git('pack-refs', '--all')
  expect(readPlainHead(workspace)).toBeUndefined()
  git('checkout', '-q', '--detach')
  expect(readPlainHead(workspace)).toBeUndefined()
  writeFileSync(join(workspace, '.git', 'HEAD'), 'ref: refs/heads/../../outside\n')
  mkdirSync(join(workspace, 'outside'), { recursive: true })
  expect(readPlainHead(workspace)).toBeUndefined()
})
