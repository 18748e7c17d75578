import { describe, expect, test } from 'vitest'
import { ManifestEditError } from './edit-error.ts'
import { appendEntry, hasEntry, readEntry, removeEntry, setEntryValue, setTopLevelValue } from './edit-manifest.ts'

const yaml = (text: string) => ({ text, format: 'yaml' as const })
const toml = (text: string) => ({ text, format: 'toml' as const })

const YAML = `# yaml-language-server: $schema=https://svc.dev/schema/svc.v2.schema.json
svc_version:   2   # odd   spacing stays
default_agent: svc # the one

agents:
  # does everything
  svc: { connectors: all,   secrets: all }

  # looks only
  # (two lines)
  reviewer:
    svc_cli:
      - project.read   # first
    enabled: true # on

triggers:
  # every morning
  - slug: daily
    type: cron
    cron: "0 0 9 * * *"
    prompt: |
      Say good morning.

      Then report.
    # agent: svc

  # on a push
  - slug: push
    type: webhook
    secret_env: PUSH
    prompt: 'Look at {{ body.text }}'

sandbox:
    templates:
        -   slug: big
            image: "node:22"   # pinned

# the end
`

const TOML = `# head
svc_version = 1 # one
title = "kept   as is"

# does everything
[[agents]]
name = "svc"
connectors = "all"   # spaced

# every morning
# (two lines)
[[triggers]]
slug = "daily"
type = "cron"
cron = "0 0 9 * * *"
prompt = """
Say [[triggers]]
"""
# agent = "svc"

# a connector
[[connectors]]
slug = "api"
provider = "http"
base_url = "https://x.test"
[connectors.auth]
type = "bearer"
[[connectors.policies]]
match = "*"
action = "block"

[[connectors]]
slug = "two"
provider = "composio"
# the end
`

/** The lines of `after` that are not in `before`, and the other way round. */
function difference(before: string, after: string): { added: string; removed: string } {
  let start = 0
  while (start < before.length && before[start] === after[start]) start += 1
  let end = 0
  const most = Math.min(before.length, after.length) - start
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end += 1
  return { added: after.slice(start, after.length - end), removed: before.slice(start, before.length - end) }
}

describe('reading', () => {
  test('entries are found by name in lists, maps and dotted sections', () => {
    expect(hasEntry(yaml(YAML), 'agents', 'reviewer')).toBe(true)
    expect(hasEntry(yaml(YAML), 'agents', 'constructor')).toBe(false)
    expect(hasEntry(yaml(YAML), 'sandbox.templates', 'big')).toBe(true)
    expect(hasEntry(toml(TOML), 'agents', 'svc')).toBe(true)
    expect(hasEntry(toml(TOML), 'triggers', 'none')).toBe(false)
    expect(readEntry(yaml(YAML), 'triggers', 'push')).toMatchObject({ type: 'webhook', secret_env: 'PUSH' })
    expect(readEntry(yaml(YAML), 'agents', 'svc')).toEqual({ connectors: 'all', secrets: 'all' })
    expect(readEntry(toml(TOML), 'connectors', 'api')).toMatchObject({ auth: { type: 'bearer' } })
    expect(readEntry(yaml(''), 'triggers', 'x')).toBeUndefined()
  })
})

describe('YAML keeps every byte an edit is not about', () => {
  test('appending a list entry', () => {
    const after = appendEntry(yaml(YAML), 'triggers', 'new', { type: 'cron', cron: '* * * * *', prompt: 'a\nb\n' })
    expect(difference(YAML, after)).toEqual({
      removed: '',
      added: expect.stringContaining(
        '- slug: new\n    type: cron\n    cron: "* * * * *"\n    prompt: |\n      a\n      b\n',
      ),
    })
    expect(after.indexOf('slug: new')).toBeLessThan(after.indexOf('sandbox:'))
  })

  test('appending a map entry and an entry of a dotted section with its own indentation', () => {
    const agent = appendEntry(yaml(YAML), 'agents', 'third', { connectors: ['a'] })
    expect(difference(YAML, agent)).toMatchObject({ removed: '', added: expect.stringContaining('third:') })
    const template = appendEntry(yaml(YAML), 'sandbox.templates', 'small', { image: 'a:1' })
    expect(difference(YAML, template).removed).toBe('')
    expect(template).toContain('            image: "node:22"   # pinned\n        - slug: small\n')
  })

  test('a comment on the line of a section stays on that line when the section gets its first entry', () => {
    const entry = { type: 'webhook', prompt: 'Go' }
    const lines = '\n  - slug: t\n    type: webhook\n    prompt: Go'
    const cases: [string, string][] = [
      ['triggers: [] # none yet\n', `triggers: # none yet${lines}\n`],
      ['triggers: [] # none yet', `triggers: # none yet${lines}`],
      ['triggers: []   # none yet\nz: 1\n', `triggers:   # none yet${lines}\nz: 1\n`],
      ['triggers: # none yet\n  []\nz: 1\n', `triggers: # none yet${lines}\nz: 1\n`],
      ['triggers: # none yet\nz: 1\n', `triggers: # none yet${lines}\nz: 1\n`],
      ['triggers: # a\n  # b\nz: 1\n', `triggers: # a${lines}\n  # b\nz: 1\n`],
      ['triggers: # none yet', `triggers: # none yet${lines}`],
      ['triggers: [] # a $& b\n', `triggers: # a $& b${lines}\n`],
      ['triggers: [] # none yet\r\n', `triggers: # none yet${lines}\n`.replaceAll('\n', '\r\n')],
    ]
    for (const [before, after] of cases) expect(appendEntry(yaml(before), 'triggers', 't', entry)).toBe(after)
  })

  test('a comment on the line of a key stays when a longer or shorter value replaces the old one', () => {
    const set = (text: string, value: unknown) => setTopLevelValue(yaml(text), 'title', value)
    expect(set('title: One # shown\nz: 1\n', 'a\nb\n')).toBe('title: | # shown\n  a\n  b\nz: 1\n')
    expect(set('title: # shown\nz: 1\n', 'One')).toBe('title: One # shown\nz: 1\n')
    expect(set('title: # shown\n  - a\n  - b\nz: 1\n', 'One')).toBe('title: One # shown\nz: 1\n')
  })

  test('appending to a section that is not there, empty, null, or written inline', () => {
    const entry = { type: 'cron' }
    expect(appendEntry(yaml('svc_version: 1'), 'triggers', 't', entry)).toBe(
      'svc_version: 1\ntriggers:\n  - slug: t\n    type: cron\n',
    )
    expect(appendEntry(yaml(''), 'sandbox.templates', 't', { image: 'a:1' })).toBe(
      'sandbox:\n  templates:\n    - slug: t\n      image: a:1\n',
    )
    expect(appendEntry(yaml('triggers: [] # none\nz: 1\n'), 'triggers', 't', entry)).toContain(
      '- slug: t\n    type: cron',
    )
    expect(appendEntry(yaml('triggers:\nz: 1\n'), 'triggers', 't', entry)).toBe(
      'triggers:\n  - slug: t\n    type: cron\nz: 1\n',
    )
    expect(appendEntry(yaml('triggers: [{slug: a}]\nz: 1\n'), 'triggers', 't', entry)).toBe(
      'triggers: [{slug: a}, {slug: t, type: cron}]\nz: 1\n',
    )
    expect(appendEntry(yaml('sandbox:\n  default: x # c\nz: 1\n'), 'sandbox.templates', 't', { image: 'a:1' })).toBe(
      'sandbox:\n  default: x # c\n  templates:\n    - slug: t\n      image: a:1\nz: 1\n',
    )
    expect(appendEntry(yaml('triggers:\n- slug: a\n  type: cron'), 'triggers', 't', entry)).toBe(
      'triggers:\n- slug: a\n  type: cron\n- slug: t\n  type: cron\n',
    )
  })

  test('removing an entry takes the comments directly above and inside it', () => {
    const first = removeEntry(yaml(YAML), 'triggers', 'daily')
    expect(difference(YAML, first).added).toBe('')
    expect(first).toContain('triggers:\n  # on a push\n  - slug: push\n')
    expect(first).not.toContain('# every morning')
    expect(first).not.toContain('# agent: svc')
    const last = removeEntry(yaml(YAML), 'agents', 'reviewer')
    expect(last).not.toContain('looks only')
    expect(last).toContain('  # does everything\n  svc: { connectors: all,   secrets: all }\n\ntriggers:')
  })

  test('removing the only entry leaves an empty section', () => {
    expect(removeEntry(yaml(YAML), 'sandbox.templates', 'big')).toContain('sandbox:\n    templates: []\n\n# the end\n')
    expect(removeEntry(yaml('triggers: [{slug: a}]\n'), 'triggers', 'a')).toBe('triggers: []\n')
    expect(removeEntry(yaml('triggers: [{slug: a}, {slug: b}]\n'), 'triggers', 'a')).toBe('triggers: [{slug: b}]\n')
    expect(removeEntry(yaml('triggers: [{slug: a}, {slug: b}]\n'), 'triggers', 'b')).toBe('triggers: [{slug: a}]\n')
  })

  test('setting one value', () => {
    const cases: [string, 'agents' | 'triggers' | 'sandbox.templates', string, string, unknown, string, string][] = [
      ['in a block', 'triggers', 'daily', 'cron', '0 0 8 * * *', '9', '8'],
      ['before a comment', 'agents', 'reviewer', 'enabled', false, 'tru', 'fals'],
      ['inside an inline map', 'agents', 'svc', 'secrets', 'none', 'all', 'none'],
      ['a new key inline', 'agents', 'svc', 'skills', 'all', '', ', skills: all'],
      ['a new key in a block', 'triggers', 'push', 'agent', 'svc', '', '    agent: svc\n'],
    ]
    for (const [name, section, id, key, value, removed, added] of cases) {
      const after = setEntryValue(yaml(YAML), section, id, key, value)
      expect(difference(YAML, after), name).toEqual({ removed, added })
    }
  })

  test('setting lists, maps and long texts, and removing a value', () => {
    const list = setEntryValue(yaml(YAML), 'agents', 'reviewer', 'svc_cli', ['project.read', 'project.write'])
    expect(list).toContain('    svc_cli: [project.read, project.write]')
    const nested = setEntryValue(yaml(YAML), 'triggers', 'push', 'filter', { ref: 'main', a: 'b' })
    expect(nested).toContain("    prompt: 'Look at {{ body.text }}'\n    filter:\n      ref: main\n      a: b\n")
    const short = setEntryValue(yaml(YAML), 'triggers', 'daily', 'prompt', 'Hi')
    expect(short).toContain('    prompt: Hi\n')
    const long = setEntryValue(yaml(YAML), 'triggers', 'push', 'prompt', 'a\nb\n')
    expect(long).toContain('    prompt: |\n      a\n      b\n')
    const dotted = setEntryValue(yaml(YAML), 'triggers', 'push', 'filter.ref', 'main')
    expect(dotted).toContain('    filter:\n      ref: main\n')
    expect(setEntryValue(yaml(YAML), 'agents', 'reviewer', 'enabled', undefined)).not.toContain('enabled')
    expect(setEntryValue(yaml(YAML), 'agents', 'reviewer', 'nothing', undefined)).toBe(YAML)
  })

  test('setting a top-level value', () => {
    expect(difference(YAML, setTopLevelValue(yaml(YAML), 'default_agent', 'reviewer')).removed).toBe('svc')
    expect(setTopLevelValue(yaml(YAML), 'runtime', 'pi')).toContain('spacing stays\nruntime: pi\ndefault_agent')
    expect(setTopLevelValue(yaml(''), 'svc_version', 2)).toBe('svc_version: 2\n')
    expect(setTopLevelValue(yaml('svc_version: 1\na: b\n'), 'a', undefined)).toBe('svc_version: 1\n')
  })

  test('Windows line ends stay', () => {
    const text = YAML.replaceAll('\n', '\r\n')
    const after = appendEntry(yaml(text), 'triggers', 'new', { type: 'cron', prompt: 'a\nb\n' })
    expect(after.replaceAll('\r\n', '')).not.toContain('\n')
  })
})

describe('TOML keeps every byte an edit is not about', () => {
  test('appending adds a block at the end', () => {
    const after = appendEntry(toml(TOML), 'triggers', 'new', { type: 'cron', filter: { a: 'b' }, prompt: 'x\n"y"\\n' })
    expect(after.startsWith(TOML)).toBe(true)
    expect(after.slice(TOML.length)).toBe(
      '\n[[triggers]]\nslug = "new"\ntype = "cron"\nfilter = { a = "b" }\nprompt = """\nx\n\\"y\\"\\\\n"""\n',
    )
    expect(appendEntry(toml('svc_version = 2\n'), 'agents', 'a', { secrets: 'all' })).toBe(
      'svc_version = 2\n\n[agents.a]\nsecrets = "all"\n',
    )
    expect(appendEntry(toml('triggers = [{ slug = "a" }] # c\n'), 'triggers', 'b', {})).toBe(
      'triggers = [{ slug = "a" }, { slug = "b" }] # c\n',
    )
    expect(appendEntry(toml('triggers = []\n'), 'triggers', 'b', {})).toBe('triggers = [{ slug = "b" }]\n')
    expect(appendEntry(toml(''), 'sandbox.templates', 'b', {})).toBe('[[sandbox.templates]]\nslug = "b"\n')
  })

  test('removing takes the whole block, its sub-tables and the comments above', () => {
    const api = removeEntry(toml(TOML), 'connectors', 'api')
    expect(difference(TOML, api).added).toBe('')
    expect(api).toContain('# agent = "svc"\n\n[[connectors]]\nslug = "two"\n')
    const daily = removeEntry(toml(TOML), 'triggers', 'daily')
    expect(daily).not.toMatch(/morning|two lines|agent = "svc"/)
    expect(daily).toContain('connectors = "all"   # spaced\n\n# a connector\n')
    expect(removeEntry(toml('triggers = [{ slug = "a" }, { slug = "b" }]\n'), 'triggers', 'a')).toBe(
      'triggers = [{ slug = "b" }]\n',
    )
  })

  test('setting one value', () => {
    const set = (section: 'agents' | 'connectors' | 'triggers', id: string, key: string, value: unknown) =>
      difference(TOML, setEntryValue(toml(TOML), section, id, key, value))
    expect(set('agents', 'svc', 'connectors', 'none')).toEqual({ removed: 'all', added: 'none' })
    expect(set('connectors', 'api', 'auth.type', 'basic')).toMatchObject({ removed: expect.stringMatching(/^.{1,6}$/) })
    expect(set('agents', 'svc', 'env', ['A'])).toEqual({ removed: '', added: 'env = ["A"]\n' })
    expect(set('connectors', 'two', 'headers', { a: 'b' })).toEqual({ removed: '', added: 'headers = { a = "b" }\n' })
    expect(set('connectors', 'api', 'auth', { type: 'none' }).added).toContain('auth = { type = "none" }')
    expect(set('agents', 'svc', 'connectors', undefined).added).toBe('')
    expect(set('triggers', 'daily', 'prompt', 'short').added).toContain('short')
  })

  test('setting a top-level value', () => {
    expect(difference(TOML, setTopLevelValue(toml(TOML), 'svc_version', 2))).toEqual({ removed: '1', added: '2' })
    expect(difference(TOML, setTopLevelValue(toml(TOML), 'default_agent', 'svc'))).toEqual({
      removed: '',
      added: 'default_agent = "svc"\n',
    })
    expect(setTopLevelValue(toml('# c\n[a]\nb = 1\n'), 'svc_version', 1)).toBe('svc_version = 1\n\n# c\n[a]\nb = 1\n')
  })
})

describe('an edit that cannot be made is refused', () => {
  const codeOf = (edit: () => string) => {
    try {
      edit()
      return 'made'
    } catch (error) {
      return ManifestEditError.isInstance(error) ? error.code : error
    }
  }

  test('by code', () => {
    expect(codeOf(() => appendEntry(yaml(YAML), 'triggers', 'daily', {}))).toBe('entry_exists')
    expect(codeOf(() => removeEntry(toml(TOML), 'triggers', 'none'))).toBe('entry_not_found')
    expect(codeOf(() => setEntryValue(yaml(YAML), 'triggers', 'none', 'a', 1))).toBe('entry_not_found')
    expect(codeOf(() => appendEntry(yaml('triggers: 5'), 'triggers', 'a', {}))).toBe('invalid_target')
    const aliased = 'base: &b {slug: a}\ntriggers: [*b]\n'
    expect(codeOf(() => setEntryValue(yaml(aliased), 'triggers', 'a', 'type', 'cron'))).toBe('layout_not_supported')
  })
})
