import { describe, expect, test } from 'vitest'
import { formatIssues, validateManifest } from './index.ts'

const base = 'svc_version: 2\ndefault_agent: a\n'

describe('worked examples', () => {
  test.each<[string, string, boolean, string[]]>([
    ['an empty file', '', false, ['error svc_version']],
    ['version 1 alone', 'svc_version: 1', true, []],
    ['version 2 alone', 'svc_version: 2', false, ['error agents', 'error default_agent']],
    ['the smallest version 2', `${base}agents: {a: {}}`, true, []],
    ['a default agent that is off', `${base}agents: {a: {enabled: false}}`, false, ['error default_agent']],
    [
      'a default agent that is not declared',
      'svc_version: 2\ndefault_agent: b\nagents: {a: {}}',
      false,
      ['error default_agent'],
    ],
    ['behaviour in the manifest', `${base}agents: {a: {model: x}}`, false, ['error agents.a.model']],
    [
      'cron without a schedule',
      'svc_version: 1\ntriggers: [{slug: t, type: cron, prompt: p}]',
      false,
      ['error triggers[0].cron'],
    ],
    [
      'a monitor under the floor',
      'svc_version: 1\ntriggers: [{slug: t, type: monitor, run: r, prompt: p, mode: poll, interval: 5s}]',
      true,
      ['warning triggers[0].interval'],
    ],
    [
      'a retired permission',
      'svc_version: 1\nagents: [{name: a, svc_cli: [channel.send]}]',
      true,
      ['warning agents[0].svc_cli[0]'],
    ],
    [
      'agent_scope in version 2',
      `${base}agents: {a: {}}\nconnectors: [{slug: s, provider: http, base_url: u, agent_scope: x}]`,
      false,
      ['error connectors[0].agent_scope'],
    ],
  ])('%s', (_name, yaml, valid, issues) => {
    const result = validateManifest(yaml)
    expect(result.valid).toBe(valid)
    expect(result.issues.map((issue) => `${issue.severity} ${issue.path}`)).toEqual(issues)
  })

  test('broken YAML is one issue with a place', () => {
    const result = validateManifest('a: [', 'yaml')
    expect(result.parsed).toBeNull()
    expect(result.issues).toMatchObject([{ path: '<yaml>', severity: 'error', line: 1 }])
    expect(result.issues[0]?.message).toMatch(/^Syntax error:/)
    expect(result.issues[0]?.column).toBeGreaterThan(1)
  })
})

describe('messages', () => {
  const messageOf = (yaml: string) => validateManifest(yaml).issues[0]?.message

  test('a near miss names the nearest valid form', () => {
    const policy =
      'svc_version: 1\nconnectors: [{slug: c, provider: http, base_url: u, policies: [{match: a, action: alwaysrun}]}]'
    expect(messageOf(policy)).toContain('Did you mean "always_run"?')
    expect(messageOf('svc_version: 1\ntriggers: [{slug: t, type: crom, prompt: p}]')).toContain('Did you mean "cron"?')
    expect(messageOf('svc_version: 1\nagents: [{name: My Agent}]')).toContain('Did you mean "my-agent"?')
    expect(messageOf(`${base}agents: {a: {secret: all}}`)).toContain('Did you mean `secrets`?')
    expect(messageOf('svc_version: 1\nagents: [{name: a, svc_cli: [project.session.strat]}]')).toContain(
      'project.session.start',
    )
    expect(messageOf('svc_version: "2"')).toContain('without quotes')
  })

  test('behaviour keys point at the Markdown file in the configured folder', () => {
    const yaml = `${base}opencode: {config_dir: cfg/}\nagents: {a: {prompt: x}}`
    expect(messageOf(yaml)).toContain('cfg/agents/a.md')
  })

  test('a list section of the wrong kind is worded for the format', () => {
    expect(validateManifest('svc_version: 1\ntriggers: {}', 'yaml').issues[0]?.message).toContain('YAML list')
    expect(validateManifest('svc_version = 1\n[triggers]\na = 1', 'toml').issues[0]?.message).toContain('[[triggers]]')
    expect(validateManifest({ svc_version: 1, sandbox: { templates: {} } }, 'toml').issues[0]?.message).toContain(
      '[[sandbox.templates]]',
    )
  })

  test('formatIssues prints one line per issue, with colour unless told not to', () => {
    const { issues } = validateManifest('svc_version: 2')
    expect(formatIssues(issues, { color: false })).toMatchInlineSnapshot(`
      "error agents: \`agents\` is missing: What each agent may use, keyed by agent name. (line 1:1)
      error default_agent: \`default_agent\` is missing: Agent used when a session or trigger names none. (line 1:1)"
    `)
    expect(formatIssues(issues)).toContain('\u001b[31merror')
    expect(formatIssues([])).toBe('')
  })
})

describe('format', () => {
  test('text without a format is YAML, or TOML when it is no YAML map', () => {
    expect(validateManifest('svc_version = 1\n[project]\nname = "x"\n').parsed).toEqual({
      svc_version: 1,
      project: { name: 'x' },
    })
    expect(validateManifest('svc_version = 1').valid).toBe(true)
    expect(validateManifest('just words').issues.map((issue) => issue.path)).toEqual(['svc_version'])
    expect(validateManifest('a: [').issues.map((issue) => issue.path)).toEqual(['<yaml>'])
  })

  test('version 2 in TOML is accepted with a warning', () => {
    const result = validateManifest('svc_version = 2\ndefault_agent = "a"\n[agents.a]\n', 'toml')
    expect(result).toMatchObject({ valid: true, issues: [{ path: 'svc_version', severity: 'warning', line: 1 }] })
  })

  test('broken TOML is one issue with a place', () => {
    expect(validateManifest('svc_version = 1\na = [', 'toml').issues).toMatchObject([
      { path: '<toml>', severity: 'error', line: 2 },
    ])
  })

  test('a document that is no map has the missing version as its only issue', () => {
    for (const yaml of ['- a\n- b', '5', '"text"', '# only a comment', '---\n']) {
      expect(validateManifest(yaml, 'yaml').issues.map((issue) => issue.path)).toEqual(['svc_version'])
    }
  })

  test('an unquoted TOML date-time is the text YAML would have', () => {
    const toml =
      'svc_version = 1\n[[triggers]]\nslug = "t"\ntype = "cron"\nprompt = "p"\nrun_at = 2030-01-01T09:00:00Z\n'
    expect(validateManifest(toml, 'toml').issues).toEqual([])
  })
})
