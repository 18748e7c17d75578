import { describe, expect, test } from 'vitest'
import { validateManifest } from './index.ts'

const placesOf = (text: string, format: 'yaml' | 'toml') =>
  validateManifest(text, format).issues.map(({ path, line, column }) => `${path} ${line}:${column}`)

describe('positions in YAML', () => {
  test('values, keys, missing keys and merged keys', () => {
    const yaml = [
      '# comment',
      'svc_version: 2',
      'default_agent: nobody',
      'agents:',
      '  a:',
      '    model: x',
      '    secrets: [ok, ""]',
      'triggers:',
      '  - slug: t',
      '    type: cron',
      '    prompt:',
      '  - &base',
      '    slug: u',
      '    type: webhook',
      '    prompt: p',
      '  - <<: *base',
      '    slug: w',
      'sandbox:',
      '  default: t',
      '  cpu: 1',
    ].join('\n')
    expect(placesOf(yaml, 'yaml')).toEqual([
      'agents.a.model 6:5',
      'agents.a.secrets[1] 7:19',
      'triggers[0].prompt 11:5',
      'triggers[0].cron 9:5',
      'triggers[1].secret_env 13:5',
      'triggers[2].secret_env 16:5',
      'sandbox 20:3',
      'sandbox.default 19:12',
      'default_agent 3:16',
    ])
  })

  test('an empty document has the first place', () => {
    expect(placesOf('', 'yaml')).toEqual(['svc_version 1:1'])
    expect(placesOf('\r\n\r\na: 1', 'yaml')).toEqual(['svc_version 3:1'])
  })

  test('a duplicate key is a syntax error at the second one', () => {
    expect(placesOf('svc_version: 1\nproject:\n  name: a\n  name: b\n', 'yaml')).toEqual(['<yaml> 4:3'])
  })
})

describe('positions in TOML', () => {
  test('tables, table lists, dotted keys, inline values and missing keys', () => {
    const toml = [
      'svc_version = 1',
      'project.name = 5',
      'env = { required = ["A", "1B"], other = 1 }',
      '',
      '[[triggers]]',
      'slug = "t"',
      "type = 'crom'",
      '  prompt = """',
      'two [[triggers]]',
      'lines""" # comment',
      '',
      '[[triggers]]',
      'slug = "u"',
      'type = "cron"',
      'prompt = "p"',
      '',
      '[[connectors]]',
      'slug = "c"',
      'provider = "http"',
      'base_url = "u"',
      '[connectors.auth]',
      'type = "baerer"',
      '[[connectors.policies]]',
      'match = "a"',
      '[["connectors".policies]]',
      'match = ""',
      'action = "block"',
      '[sandbox]',
      'cpu = 1',
    ].join('\n')
    expect(placesOf(toml, 'toml').sort()).toEqual(
      [
        'project.name 2:16',
        'env.required[1] 3:26',
        'env.other 3:33',
        'triggers[0].type 7:8',
        'triggers[1].cron 12:1',
        'connectors[0].auth.type 22:8',
        'connectors[0].policies[0].action 23:1',
        'connectors[0].policies[1].match 26:9',
        'sandbox 29:1',
      ].sort(),
    )
  })
})
