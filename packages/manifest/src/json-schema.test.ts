import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { manifestEditorHint, manifestJsonSchema, SCHEMA_FILENAMES } from './json-schema.ts'

const VERSIONS = [1, 2, 'combined'] as const

describe('published schemas', () => {
  test.each(VERSIONS)('the file of version %s is what the shapes generate', (version) => {
    const file = readFileSync(new URL(`../schema/${SCHEMA_FILENAMES[version]}`, import.meta.url), 'utf8')
    const advice = 'build, then run: node packages/manifest/scripts/write-schemas.mjs'
    expect(file, advice).toBe(`${JSON.stringify(manifestJsonSchema(version), null, 2)}\n`)
  })

  test.each(VERSIONS)('version %s is valid against the 2020-12 meta-schema and every $ref resolves', (version) => {
    const ajv = new Ajv2020({ strict: false })
    const schema = manifestJsonSchema(version)
    expect(ajv.validateSchema(schema), JSON.stringify(ajv.errors)).toBe(true)
    expect(() => ajv.compile(schema)).not.toThrow()
  })

  test('the $id is the public address, on the site that is asked for', () => {
    expect(manifestJsonSchema(2).$id).toBe('https://svc.dev/schema/svc.v2.schema.json')
    expect(manifestJsonSchema('combined', { site: 'http://localhost:8008/' }).$id).toBe(
      'http://localhost:8008/schema/svc.schema.json',
    )
    expect(manifestEditorHint('https://a.test')).toBe(
      '# yaml-language-server: $schema=https://a.test/schema/svc.v2.schema.json',
    )
  })

  test('only the version 2 document carries the agent front matter', () => {
    const defs = (version: 1 | 2 | 'combined') => Object.keys(manifestJsonSchema(version).$defs ?? {})
    expect(defs(2)).toContain('agentMdFrontmatter')
    expect(defs(1)).not.toContain('agentMdFrontmatter')
  })
})
