import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeHouse, repository } from '../../scripts/testing/make-house.ts'

const scripts: Record<string, string> = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')).scripts

const listPrograms = (folder: string) =>
  existsSync(join(repository, folder))
    ? readdirSync(join(repository, folder))
        .filter((name) => name.endsWith('.ts'))
        .map((name) => name.slice(0, -3))
    : []

describe('the commands of package.json', () => {
  test.each(Object.entries(scripts))('%s replaces its shell, so that a signal leaves no orphan', (_name, command) => {
    expect(command).toMatch(/^(\w+=\S+ )*exec \S+/)
    expect(command).not.toMatch(/[;&|]/)
  })

  test('set-up is inside start and test themselves: npm may skip pre and post scripts', () => {
    expect(Object.keys(scripts).filter((name) => /^(pre|post)/.test(name))).toEqual([])
  })

  test('every script they name is there', () => {
    const named = Object.values(scripts).flatMap((command) => command.match(/scripts\/\S+\.mjs/g) ?? [])
    expect(named.filter((path) => !existsSync(join(repository, path)))).toEqual([])
    expect(named.length).toBeGreaterThan(5)
  })

  test('every benchmark and every example has a command of its own', () => {
    const wanted = [
      ...listPrograms('bench').map((name) => `bench:${name}`),
      ...listPrograms('examples').map((name) => `example:${name}`),
    ]
    expect(wanted.filter((name) => !(name in scripts))).toEqual([])
  })
})

test('every npm command that the documents name exists', () => {
  const documents = ['README.md', 'CONTRIBUTING.md', 'ARCHITECTURE.md'].filter((path) =>
    existsSync(join(repository, path)),
  )
  const texts = documents.map((path) => readFileSync(join(repository, path), 'utf8'))
  const named = texts
    .flatMap((text) => [...text.matchAll(/npm (?:run ([\w:-]+)|(start|test)\b)/g)])
    .map((found) => found[1] ?? found[2] ?? '')
  // `bench:<name>` stands for a family, whose members the test above counts.
  const exists = (name: string) => name in scripts || (name.endsWith(':') && name.slice(0, -1) in scripts)
  expect(named.filter((name) => !exists(name))).toEqual([])
})

test('the command of continuous integration is the test command of the README', () => {
  const run = join(repository, '.ci/run')
  expect(statSync(run).mode & 0o111).not.toBe(0)
  expect(readFileSync(run, 'utf8')).toContain('npm test')
})

test('an unknown example or benchmark is refused with the names there are', () => {
  const house = makeHouse({ 'examples/hello.ts': "console.log('hello from', process.env.SVC_URL)\n" })
  try {
    expect(house.run('example.mjs', ['nothing']).stderr).toContain(
      'examples/nothing.ts does not exist; there are: hello.',
    )
    const { code, stdout } = house.run('example.mjs', ['hello'], { env: { SVC_URL: '' } })
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'hello from http://127.0.0.1:8008\n' })
  } finally {
    house.remove()
  }
})
