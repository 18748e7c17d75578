import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { RULE_FIXTURES } from '../test/rule-fixtures.ts'
import { manifestJsonSchema, parseManifestText, serializeManifestObject, validateManifest } from './index.ts'

const ajv = new Ajv2020({ strict: false, strictNumbers: true })
const schemas = {
  1: ajv.compile(manifestJsonSchema(1)),
  2: ajv.compile(manifestJsonSchema(2)),
  combined: ajv.compile(manifestJsonSchema('combined')),
}

describe('every rule has a fixture, accepted or refused', () => {
  test.each(RULE_FIXTURES.map((fixture) => [fixture.rule, fixture] as const))('%s', (_rule, fixture) => {
    const { yaml } = fixture
    const result = validateManifest(yaml, 'yaml')
    expect(result.issues.map((issue) => `${issue.severity} ${issue.path}`).sort()).toEqual([...fixture.issues].sort())
    for (const issue of result.issues) {
      expect(issue.line).toBeGreaterThan(0)
      expect(issue.column).toBeGreaterThan(0)
    }
    const parsed = parseManifestText(yaml, 'yaml')
    const refusedBySchema = fixture.layer === 'S' && fixture.issues.some((issue) => issue.startsWith('error'))
    expect(schemas.combined(parsed)).toBe(!refusedBySchema)
    if (parsed.svc_version === 1) expect(schemas[1](parsed)).toBe(!refusedBySchema)
    if (parsed.svc_version === 2) expect(schemas[2](parsed)).toBe(!refusedBySchema)
  })

  test('an object and its text have the same issues, and so has TOML but for the version 2 warning', () => {
    for (const { yaml } of RULE_FIXTURES) {
      const fromText = validateManifest(yaml, 'yaml')
      const paths = fromText.issues.map((issue) => `${issue.severity} ${issue.path}`)
      const fromObject = validateManifest(fromText.parsed)
      expect(fromObject.issues.map((issue) => `${issue.severity} ${issue.path}`)).toEqual(paths)
      expect(fromObject.issues.every((issue) => issue.line === undefined)).toBe(true)
      if (fromText.parsed === null || hasNull(fromText.parsed)) continue
      const toml = validateManifest(serializeManifestObject(fromText.parsed, 'toml'), 'toml')
      const tomlPaths = toml.issues
        .filter((issue) => !issue.message.includes('legacy'))
        .map((issue) => `${issue.severity} ${issue.path}`)
      expect(tomlPaths.sort()).toEqual([...paths].sort())
      for (const issue of toml.issues) expect(issue.line).toBeGreaterThan(0)
    }
  })
})

function hasNull(value: unknown): boolean {
  return JSON.stringify(value).includes('null')
}

describe('a second YAML document', () => {
  for (const second of ['foo: [', 'svc_version: 1', '', '# nothing', '--- x']) {
    test(`is one syntax issue where it begins: ${JSON.stringify(second)}`, () => {
      const { valid, parsed, issues } = validateManifest(`svc_version: 1\n---\n${second}\n`, 'yaml')
      expect({ valid, parsed }).toEqual({ valid: false, parsed: null })
      expect(issues).toEqual([
        expect.objectContaining({ path: '<yaml>', line: 2, message: expect.stringContaining('a second document') }),
      ])
    })
  }

  test('is not seen in the markers of the first, nor in a block of text', () => {
    const text = '%YAML 1.2\n---\nsvc_version: 1\ntitle: |\n  a\n  ---\n  b\n...\n'
    expect(validateManifest(text, 'yaml')).toMatchObject({ valid: true, parsed: { title: 'a\n---\nb\n' } })
  })
})
