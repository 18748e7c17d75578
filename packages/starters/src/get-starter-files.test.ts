import { validateAgentFile, validateManifest } from '@svc/manifest'
import { describe, expect, test } from 'vitest'
import { getStarterFiles, isStarterTemplate, STARTER_TEMPLATES } from './index.ts'

describe.each(STARTER_TEMPLATES)('the %s starter', (template) => {
  const files = getStarterFiles({ projectName: 'Support desk', template })
  const byPath = new Map(files.map(({ path, content }) => [path, content]))

  test('has a manifest without an error or a warning', () => {
    const { valid, issues, parsed } = validateManifest(byPath.get('svc.yaml'), 'yaml')
    expect(issues).toEqual([])
    expect(valid).toBe(true)
    expect(parsed).toMatchObject({ svc_version: 2, default_agent: 'svc', project: { name: 'Support desk' } })
  })

  test('stays valid with every commented example switched on', () => {
    const lines = (byPath.get('svc.yaml') ?? '').split('\n')
    const first = lines.findIndex((line) => line.startsWith('# sandbox:'))
    const examples = lines.slice(first).map((line) => (/^# {1,}[\w-]|^# {2,}/.test(line) ? line.slice(2) : line))
    const kept = examples.filter((line) => !/^[A-Z]/.test(line))
    const { issues, parsed } = validateManifest([...lines.slice(0, first), ...kept].join('\n'), 'yaml')
    expect(issues.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(Object.keys(parsed ?? {})).toEqual(expect.arrayContaining(['sandbox', 'triggers', 'connectors']))
  })

  test('runs nothing by itself', () => {
    expect(validateManifest(byPath.get('svc.yaml')).parsed).not.toHaveProperty('triggers')
  })

  test('has a readable file for every agent it declares', () => {
    const parsed = validateManifest(byPath.get('svc.yaml')).parsed ?? {}
    for (const agent of Object.keys(Object(parsed.agents))) {
      const check = validateAgentFile(byPath.get(`.svc/opencode/agents/${agent}.md`) ?? 'missing')
      expect([agent, check.issues]).toEqual([agent, []])
      expect(check.frontMatter).toHaveProperty('description')
    }
  })

  test('has skills whose front matter names them', () => {
    const skills = files.filter(({ path }) => path.endsWith('/SKILL.md'))
    expect(skills.length).toBe(template === 'general' ? 11 : 1)
    for (const { path, content } of skills) {
      expect(content).toMatch(new RegExp(`^---\\nname: ${path.split('/').at(-2)}\\ndescription: \\S`))
    }
  })

  test('is sorted, has no file twice, ends every file with one line break and holds no placeholder', () => {
    const paths = files.map(({ path }) => path)
    expect(paths).toEqual([...new Set(paths)].sort())
    for (const { content } of files) {
      expect(content.endsWith('\n') && !content.endsWith('\n\n')).toBe(true)
      expect(content).not.toMatch(/\{\{(projectName|repoFullName)\}\}/)
    }
  })
})

test('placeholders of triggers stay as they are', () => {
  const manifest = getStarterFiles({ projectName: 'x' }).find(({ path }) => path === 'svc.yaml')
  expect(manifest?.content).toContain('{{ body.text }}')
})

test('only known templates are known', () => {
  expect(isStarterTemplate('minimal')).toBe(true)
  expect(isStarterTemplate('toString')).toBe(false)
})
