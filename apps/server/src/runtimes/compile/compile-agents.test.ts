import { getStarterFiles } from '@svc/starters'
import { expect, test } from 'vitest'
import { makeRepository } from '../../git/testing/make-repository.ts'
import { readManifest } from '../../repositories/index.ts'
import { type CompileInput, compileAgents } from './compile-agents.ts'

interface File {
  readonly path: string
  readonly content: string
}

async function compile(files: readonly File[], options: Partial<CompileInput> = {}) {
  const { repository, commit } = await makeRepository([...files])
  if (commit === null) throw new Error('no commit')
  const manifest = await readManifest(repository, commit, 'svc.yaml')
  return compileAgents({ git: repository, commit, manifest, agentName: 'svc', onlyAgent: false, ...options })
}

const manifest = (agents: string, head = 'default_agent: svc') => ({
  path: 'svc.yaml',
  content: `svc_version: 2\n${head}\nagents:\n${agents}`,
})
const agentFile = (name: string, content: string, folder = 'agents') => ({
  path: `.svc/opencode/${folder}/${name}.md`,
  content,
})

test('front matter passes under its own names and the body becomes the prompt', async () => {
  const frontMatter =
    'description: Works\nmode: primary\nmodel: svc/big\nvariant: high\ntemperature: 0.2\ntop_p: 0.9\nsteps: 5\ncolor: "#aabbcc"\nhidden: false\noptions:\n  effort: low\npermission:\n  bash:\n    "git *": allow\n    "*": ask\n'
  const compiled = await compile([manifest('  svc: {}\n'), agentFile('svc', `---\n${frontMatter}---\n\nDo good.\n`)])
  expect(compiled?.config).toEqual({
    model: 'svc/big',
    agent: {
      svc: {
        description: 'Works',
        mode: 'primary',
        model: 'svc/big',
        variant: 'high',
        temperature: 0.2,
        top_p: 0.9,
        steps: 5,
        color: '#aabbcc',
        hidden: false,
        options: { effort: 'low' },
        permission: { bash: { 'git *': 'allow', '*': 'ask' } },
        prompt: 'Do good.',
      },
    },
  })
  expect(compiled?.etag).toMatch(/^[0-9a-f]{16}$/)
})

test.each([
  ['all', 'skills: all', 'allow'],
  ['none', 'skills: none', 'deny'],
  ['an empty list', 'skills: []', 'deny'],
  ['names', 'skills: [pdf, docx]', { '*': 'deny', pdf: 'allow', docx: 'allow' }],
])('skills %s become a rule that overrides the file', async (_name, line, rule) => {
  const file = agentFile('svc', '---\npermission:\n  skill: allow\n  edit: deny\n---\n')
  const compiled = await compile([manifest(`  svc:\n    ${line}\n`), file])
  expect(compiled?.config.agent).toEqual({ svc: { permission: { edit: 'deny', skill: rule } } })
})

test('skills that the manifest leaves out leave the rule of the file', async () => {
  const compiled = await compile([manifest('  svc: {}\n'), agentFile('svc', '---\npermission:\n  skill: ask\n---\n')])
  expect(compiled?.config.agent).toEqual({ svc: { permission: { skill: 'ask' } } })
})

test('a permission of one word is spread before one capability differs', async () => {
  const compiled = await compile([
    manifest('  svc:\n    skills: none\n'),
    agentFile('svc', '---\npermission: allow\n---\n'),
  ])
  expect(compiled?.config.agent).toEqual({ svc: { permission: { '*': 'allow', skill: 'deny' } } })
})

test('a disabled agent is off whatever its file says', async () => {
  const compiled = await compile([
    manifest('  svc: {}\n  old:\n    enabled: false\n'),
    agentFile('old', '---\ndisable: false\n---\nGone'),
  ])
  expect(compiled?.config.agent).toEqual({ svc: {}, old: { disable: true, prompt: 'Gone' } })
})

test('the older folder name and another config folder are read too', async () => {
  const older = await compile([manifest('  svc: {}\n'), agentFile('svc', 'Older', 'agent')])
  expect(older?.config.agent).toEqual({ svc: { prompt: 'Older' } })
  const moved = await compile([
    manifest('  svc: {}\n', 'default_agent: svc\nopencode:\n  config_dir: runtime'),
    { path: 'runtime/agents/svc.md', content: 'Moved' },
  ])
  expect(moved?.config.agent).toEqual({ svc: { prompt: 'Moved' } })
})

test('without the repository only the chosen agent is compiled, and it must be declared', async () => {
  const files = [manifest('  svc: {}\n  helper: {}\n'), agentFile('helper', '---\ntools: {}\n---\n')]
  expect((await compile(files, { onlyAgent: true }))?.config.agent).toEqual({ svc: {} })
  await expect(compile(files, { onlyAgent: true, agentName: 'nobody' })).rejects.toThrow('declares no agent nobody')
})

test('front matter that is wrong is an error with file and line', async () => {
  const files = [manifest('  svc: {}\n'), agentFile('svc', '---\ndescription: Works\nmaxSteps: 3\n---\n')]
  await expect(compile(files)).rejects.toThrow(
    /\.svc\/opencode\/agents\/svc\.md cannot be used:[\s\S]*maxSteps[\s\S]*line 3/,
  )
})

test('version 1, and no manifest at all, leave the repository’s own files alone', async () => {
  expect(await compile([{ path: 'svc.yaml', content: 'svc_version: 1\n' }])).toBeUndefined()
  expect(await compile([{ path: 'README.md', content: 'x' }])).toBeUndefined()
})

test('the same files have the same tag, another prompt has another', async () => {
  const files = [manifest('  svc: {}\n'), agentFile('svc', 'One')]
  const one = await compile(files)
  expect((await compile(files))?.etag).toBe(one?.etag)
  expect((await compile([manifest('  svc: {}\n'), agentFile('svc', 'Two')]))?.etag).not.toBe(one?.etag)
})

test('what a new project starts with compiles', async () => {
  const compiled = await compile(getStarterFiles({ projectName: 'Sample' }))
  expect(Object.keys(compiled?.config.agent ?? {}).sort()).toEqual(['reviewer', 'svc'])
})
