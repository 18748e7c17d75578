import { manifestJsonSchema } from '@svc/manifest'
import { describe, expect, test } from 'vitest'
import { findTomlPlace, findYamlPlace } from './find-place.ts'
import { suggest } from './suggest.ts'

const schema = manifestJsonSchema(2)
/** The bar is the cursor. */
const yaml = (text: string) => suggest(schema, findYamlPlace(text.replace('|', ''), text.indexOf('|')))
const toml = (text: string) => suggest(schema, findTomlPlace(text.replace('|', ''), text.indexOf('|')))
const labels = (found: readonly { label: string }[]) => found.map(({ label }) => label)

describe('what may be written in a manifest', () => {
  test('at the top: its sections, without those that are there', () => {
    const offered = labels(yaml('svc_version: 2\nag|\nproject:\n  name: x\n'))
    expect(offered).toContain('agents')
    expect(offered).toContain('default_agent')
    expect(offered).not.toContain('svc_version')
    expect(offered).not.toContain('project')
  })

  test('below an agent: what an agent has, each with its meaning', () => {
    const offered = yaml('agents:\n  writer:\n    secrets: none\n    |\n')
    expect(labels(offered)).toContain('skills')
    expect(labels(offered)).not.toContain('secrets')
    expect(offered.find(({ label }) => label === 'skills')?.detail).not.toBe('')
    expect(labels(yaml('agents:\n  |\n'))).toEqual([])
  })

  test('after a key: its values', () => {
    expect(labels(yaml('agents:\n  writer:\n    enabled: |\n'))).toEqual(['true', 'false'])
    expect(labels(yaml('agents:\n  writer:\n    connectors: a|\n'))).toContain('all')
  })

  test('in an item of a list, also beside its first key', () => {
    expect(labels(yaml('triggers:\n  - |\n'))).toContain('cron')
    const offered = labels(yaml('triggers:\n  - slug: nightly\n    |\n'))
    expect(offered).toContain('cron')
    expect(offered).not.toContain('slug')
    expect(labels(yaml('triggers:\n  - slug: a\n    cron: x\n  - |\n'))).toContain('slug')
  })

  test('in TOML by the heading of its table', () => {
    expect(labels(toml('svc_version = 2\n|\n'))).toContain('default_agent')
    const offered = labels(toml('[agents.writer]\nsecrets = "none"\n|\n[project]\nname = "x"\n'))
    expect(offered).toContain('skills')
    expect(offered).not.toContain('secrets')
    expect(offered).not.toContain('name')
    expect(labels(toml('[[triggers]]\n|'))).toContain('cron')
  })

  test('nothing where the schema says nothing, however odd the text is', () => {
    expect(yaml('nothing:\n  here:\n    |')).toEqual([])
    expect(labels(yaml('|'))).toContain('agents')
    expect(yaml('- - - |')).toEqual([])
  })
})
