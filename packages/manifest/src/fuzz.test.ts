import { describe, expect, test } from 'vitest'
import { RULE_FIXTURES } from '../test/rule-fixtures.ts'
import { acceptsBySchema, acceptsByShape } from '../test/schema-rules.ts'
import { isLongRun, seededRandom, TEST_SEED } from '../test/seed.ts'
import { appendEntry, ManifestEditError, serializeManifestObject, validateManifest } from './index.ts'
import { scanToml } from './text/scan-toml.ts'

const DOCUMENTS = isLongRun ? 100_000 : 5_000
const TOKENS = [
  '{',
  '}',
  '[',
  ']',
  '[[',
  ']]',
  ':',
  ': ',
  '- ',
  '\n',
  '\n  ',
  '\t',
  '"',
  "'",
  '"""',
  "'''",
  '#',
  '&a ',
  '*a',
  '<<: *a',
  '|',
  '>',
  '|2-',
  '!!binary ',
  '!!set ',
  '? ',
  '---\n',
  '...\n',
  '%YAML 1.1\n',
  '=',
  ' = ',
  ',',
  '.',
  'null',
  '~',
  'true',
  '0',
  '.nan',
  '0x1F',
  '1e999',
  '__proto__',
  'constructor',
  'prototype',
  'svc_version: 2',
  'svc_version = 1\n',
  '\u0000',
  '\uFEFF',
  '\uD800',
  '2030-01-01',
  '\r',
  '\\',
]

function mutate(text: string, random: () => number): string {
  let result = text
  const edits = 1 + Math.floor(random() * 5)
  for (let edit = 0; edit < edits; edit += 1) {
    const at = Math.floor(random() * (result.length + 1))
    const length = Math.floor(random() * 12)
    const token = TOKENS[Math.floor(random() * TOKENS.length)] ?? ''
    const kind = Math.floor(random() * 4)
    if (kind === 0) result = result.slice(0, at) + token + result.slice(at)
    else if (kind === 1) result = result.slice(0, at) + result.slice(at + length)
    else if (kind === 2) result = result.slice(0, at) + token + result.slice(at + length)
    else result = result.slice(0, at) + result.slice(Math.max(0, at - length * 4))
  }
  return result.slice(0, 20_000)
}

function checkDocument(text: string, format: 'yaml' | 'toml' | undefined): void {
  const result = validateManifest(text, format)
  for (const issue of result.issues) {
    expect(issue.line).toBeGreaterThan(0)
    expect(issue.column).toBeGreaterThan(0)
  }
  if (result.parsed === null) expect(result.issues).toHaveLength(1)
  else expect(acceptsByShape(result.parsed)).toBe(acceptsBySchema(result.parsed))
}

describe('hostile documents', { timeout: 600_000 }, () => {
  test(`${DOCUMENTS} mutated documents never throw and agree with the schema`, () => {
    const random = seededRandom(TEST_SEED)
    const sources = RULE_FIXTURES.flatMap(({ yaml }) => {
      const { parsed } = validateManifest(yaml, 'yaml')
      const hasToml = parsed !== null && !JSON.stringify(parsed).includes('null')
      return hasToml ? [[yaml, 'yaml'] as const, [serializeManifestObject(parsed, 'toml'), 'toml'] as const] : []
    })
    for (let index = 0; index < DOCUMENTS; index += 1) {
      const [source, format] = sources[Math.floor(random() * sources.length)] ?? ['', 'yaml']
      const text = mutate(source, random)
      try {
        checkDocument(text, random() < 0.2 ? undefined : format)
        if (index % 10 === 0) checkEdit(text, format)
      } catch (error) {
        throw new Error(`seed ${TEST_SEED}, document ${index} (${format}): ${JSON.stringify(text)}`, { cause: error })
      }
    }
  })

  /** Appending only adds, apart from an empty value it replaces; or it is refused. */
  function checkEdit(text: string, format: 'yaml' | 'toml'): void {
    if (validateManifest(text, format).parsed === null) return
    let after: string
    try {
      after = appendEntry({ text, format }, 'triggers', 'appended', { type: 'cron', cron: '* * * * *' })
    } catch (error) {
      expect(ManifestEditError.isInstance(error), String(error)).toBe(true)
      return
    }
    let start = 0
    while (start < text.length && text[start] === after[start]) start += 1
    let end = 0
    while (end < text.length - start && text.at(-1 - end) === after.at(-1 - end)) end += 1
    expect(text.slice(start, text.length - end)).toMatch(/^(?:\s*(?:\[\s*\]|null|~)?)$/)
  }

  test('alias bombs, cycles and missing anchors are one syntax error', () => {
    const levels = Array.from(
      { length: 12 },
      (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level}, `.repeat(10)}]`,
    )
    const bomb = `l0: &l0 [x, x]\n${levels.join('\n')}\nsvc_version: 1\n`
    const merges = Array.from(
      { length: 30 },
      (_, level) => `m${level + 1}: &m${level + 1} {a${level}: *m${level}, b${level}: *m${level}}`,
    )
    for (const text of [
      bomb,
      `m0: &m0 {a: b}\n${merges.join('\n')}\n`,
      'a: &a [*a]',
      'a: &a {b: {c: *a}}',
      'a: *missing',
      'a: {<<: 5}',
    ]) {
      const result = validateManifest(text, 'yaml')
      expect(result.issues).toMatchObject([{ path: '<yaml>', severity: 'error' }])
      expect(result.issues[0]?.message).toMatch(/^Syntax error: /)
    }
  })

  test('aliases and merge keys in reason are applied', () => {
    const yaml =
      'svc_version: 1\nbase: &b {type: cron, prompt: p}\ntriggers:\n  - {<<: *b, slug: a, cron: "* * * * *"}\n  - {slug: b, <<: [*b, {cron: "0 * * * *"}]}\n'
    const result = validateManifest(yaml, 'yaml')
    expect(result.issues).toEqual([])
    expect(result.parsed?.triggers).toEqual([
      { slug: 'a', cron: '* * * * *', type: 'cron', prompt: 'p' },
      { slug: 'b', cron: '0 * * * *', type: 'cron', prompt: 'p' },
    ])
  })

  test('deep nesting is one syntax error, in both formats', () => {
    for (const depth of [101, 5_000, 50_000]) {
      for (const text of [
        '['.repeat(depth),
        `a: ${'['.repeat(depth)}${']'.repeat(depth)}`,
        '- '.repeat(depth),
        '{a: '.repeat(depth),
      ]) {
        expect(validateManifest(text, 'yaml').issues).toMatchObject([{ path: '<yaml>' }])
      }
      for (const text of [
        `a = ${'['.repeat(depth)}`,
        `a${'.a'.repeat(depth)} = 1`,
        `[a${'.a'.repeat(depth)}]`,
        `a = ${'{a='.repeat(depth)}`,
      ]) {
        expect(validateManifest(text, 'toml').issues).toMatchObject([{ path: '<toml>' }])
      }
    }
  })

  test('huge scalars, keys and lists stay bounded', () => {
    const huge = 'x'.repeat(2_000_000)
    const bad = Array.from({ length: 20_000 }, () => '0').join(', ')
    for (const yaml of [
      `svc_version: 1\ntriggers: [{slug: ${huge}}]`,
      `svc_version: 2\ndefault_agent: ${huge}\nagents: {${huge}: {${huge}: ${huge}}}`,
      `svc_version: 1\nagents: [{name: a, svc_cli: [${bad}]}]`,
      `svc_version: 2\ndefault_agent: a\nagents: {a: {}}\napps: {${'k'.repeat(100_000)}: {command: [${bad}]}}`,
      `svc_version: 1\n${Array.from({ length: 20_000 }, (_, index) => `trigger${index}: 1`).join('\n')}`,
      `svc_version: 1\nenv: {${Array.from({ length: 20_000 }, (_, index) => `k${index}: 1`).join(', ')}}`,
    ]) {
      const { issues } = validateManifest(yaml, 'yaml')
      const size = issues.reduce((total, issue) => total + issue.message.length + issue.path.length, 0)
      expect(size / Math.max(1, issues.length)).toBeLessThan(1_000)
    }
  })

  test('prototype keys are plain keys', () => {
    const yaml = '__proto__: {svc_version: 1}\nconstructor: 1\n'
    const result = validateManifest(yaml, 'yaml')
    expect(result.issues.map((issue) => issue.path)).toEqual(['svc_version'])
    expect(Object.keys(result.parsed ?? {})).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(result.parsed)).toBe(Object.prototype)
    const toml = validateManifest('[__proto__]\nsvc_version = 1\n', 'toml')
    expect(toml.issues.map((issue) => issue.path)).toEqual(['svc_version'])
    expect(JSON.stringify({})).toBe('{}')
  })

  test('objects that are no manifests, or hostile, never throw', () => {
    const cyclic: Record<string, unknown> = { svc_version: 1 }
    cyclic.self = cyclic
    cyclic.triggers = [cyclic]
    const throwing = Object.defineProperty({ svc_version: 1 }, 'agents', {
      enumerable: true,
      get: () => {
        throw new Error('no')
      },
    })
    const inputs = [
      null,
      undefined,
      5,
      [],
      () => 1,
      Symbol('x'),
      10n,
      new Date(0),
      cyclic,
      throwing,
      { svc_version: 1, agents: [Symbol('a'), 5n] },
    ]
    for (const input of inputs) expect(validateManifest(input).valid).toBe(false)
  })

  test('the TOML scanner ends for any text', () => {
    const random = seededRandom(TEST_SEED + 1)
    for (let index = 0; index < 2_000; index += 1) {
      const text = Array.from({ length: 60 }, () => TOKENS[Math.floor(random() * TOKENS.length)]).join('')
      expect(scanToml(text).statements.length).toBeLessThan(200)
    }
  })
})
