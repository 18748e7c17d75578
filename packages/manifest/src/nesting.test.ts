import { execFileSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'tsdown'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isLongRun, seededRandom, TEST_SEED } from '../test/seed.ts'
import { appendEntry, type ManifestFormat, validateManifest } from './index.ts'
import { MAX_DEPTH } from './text/limits.ts'

/** Inside the package, where its dependencies are found. */
const folder = fileURLToPath(new URL(`../node_modules/.cache/nesting-${process.pid}`, import.meta.url))

beforeAll(() =>
  build({
    config: false,
    entry: { index: fileURLToPath(new URL('./index.ts', import.meta.url)) },
    outDir: folder,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    dts: false,
    logLevel: 'error',
  }),
)
afterAll(() => rm(folder, { recursive: true, force: true }))

/** In a process that has compiled no regular expression yet: compiling one at the end of the stack ends the process. */
function validateInFreshProcess(text: string, format: ManifestFormat): unknown {
  const code = `
    import { readFileSync } from 'node:fs'
    import { validateManifest } from ${JSON.stringify(join(folder, 'index.mjs'))}
    const text = readFileSync(0, 'utf8')
    validateManifest(text, '${format}')
    console.log(JSON.stringify(validateManifest(text, '${format}').issues))`
  const stdout = execFileSync(process.execPath, ['--input-type=module', '-e', code], { input: text, encoding: 'utf8' })
  return JSON.parse(stdout)
}

const deepYaml: Record<string, string> = {
  'open lists': '['.repeat(3_000),
  'closed lists': `a: ${'['.repeat(3_000)}${']'.repeat(3_000)}`,
  'very many open lists': '['.repeat(300_000),
  'open maps': '{'.repeat(3_000),
  'maps in maps': `${'{a: '.repeat(3_000)}1${'}'.repeat(3_000)}`,
  'pairs in lists': '[a: '.repeat(3_000),
  'maps as keys': '{? '.repeat(3_000),
  'lists after an anchor each': '&a ['.repeat(3_000),
  'lists after a tag each': '!a ['.repeat(3_000),
  'lists on lines of their own': '[\n '.repeat(3_000),
  'dashes on one line': `${'- '.repeat(3_000)}a`,
  'dashes with tabs': `${'-\t'.repeat(3_000)}a`,
  'question marks on one line': `${'? '.repeat(3_000)}a`,
  'dashes and question marks': `${'- ? '.repeat(3_000)}a`,
  'dashes and keys': `${'- a: \n'.repeat(1)}${Array.from({ length: 1_000 }, (_, at) => `${'  '.repeat(at + 1)}- a:\n`).join('')}`,
  'ever deeper indentation': Array.from({ length: 1_500 }, (_, at) => `${' '.repeat(at)}a:\n`).join(''),
  'ever deeper dashes': Array.from({ length: 1_500 }, (_, at) => `${' '.repeat(at)}-\n`).join(''),
  'ever deeper anchored maps': Array.from({ length: 1_500 }, (_, at) => `${' '.repeat(at)}a: &a${at}\n`).join(''),
  'lists behind brackets in quotes': `a: "]]]]" \nb: ${'["]", '.repeat(3_000)}`,
  'a second document': `a: 1\n---\n${'['.repeat(3_000)}`,
}

const deepToml: Record<string, string> = {
  'a header of brackets': '['.repeat(3_000),
  'open lists': `a = ${'['.repeat(3_000)}`,
  'closed lists': `a = ${'['.repeat(3_000)}${']'.repeat(3_000)}`,
  'very many open lists': `a = ${'['.repeat(300_000)}`,
  'inline tables': `a = ${'{a = '.repeat(3_000)}1${'}'.repeat(3_000)}`,
  'tables in lists': `a = ${'[{a = '.repeat(3_000)}`,
  'lists on lines of their own': `a = ${'[\n'.repeat(3_000)}`,
  'a dotted key': `${'a.'.repeat(3_000)}a = 1`,
  'a dotted header': `[${'a.'.repeat(3_000)}a]`,
  'dotted keys in inline tables': `a = ${`{${'a.'.repeat(90)}a = `.repeat(90)}1${'}'.repeat(90)}`,
}

describe('a document nested too deeply is one syntax issue, and the process lives', () => {
  for (const [what, text] of Object.entries(deepYaml)) {
    test(`YAML: ${what}`, () => {
      expect(validateInFreshProcess(text, 'yaml')).toEqual([
        expect.objectContaining({
          path: '<yaml>',
          severity: 'error',
          message: `Syntax error: the document is nested deeper than ${MAX_DEPTH} levels`,
        }),
      ])
    })
  }

  for (const [what, text] of Object.entries(deepToml)) {
    test(`TOML: ${what}`, () => {
      expect(validateInFreshProcess(text, 'toml')).toEqual([
        expect.objectContaining({
          path: '<toml>',
          severity: 'error',
          message: expect.stringMatching(/^Syntax error: /),
        }),
      ])
    })
  }

  test('the issue stands where the nesting becomes too deep', () => {
    const { issues } = validateManifest(`svc_version: 1\ntitle: ${'['.repeat(3_000)}`, 'yaml')
    expect(issues[0]).toMatchObject({ line: 2, column: 8 + MAX_DEPTH })
  })

  test('an edit of such a text throws the same error and nothing else', () => {
    const edit = () => appendEntry({ text: '['.repeat(3_000), format: 'yaml' }, 'triggers', 'a', { type: 'cron' })
    expect(edit).toThrow(`nested deeper than ${MAX_DEPTH} levels`)
  })
})

describe('what only looks deep is read', () => {
  const brackets = '[{('.repeat(300)
  const texts = {
    'brackets in double quotes': `"${brackets}"`,
    'brackets in single quotes': `'${brackets}'`,
    'brackets in a plain text': `see ${brackets}`,
    'brackets in a block': `|\n  ${brackets}\n  ${'- '.repeat(300)}x`,
    'brackets in a comment': `x # ${brackets}`,
    'ever deeper indentation in a block': `|\n${Array.from({ length: 300 }, (_, at) => `${' '.repeat(at + 2)}a:\n`).join('')}`,
    'a long flat list': `[${'[a], {b: c}, '.repeat(2_000)}]`,
    'a long flat block list': `\n${'  - [a]\n  - b: {c: d}\n'.repeat(2_000)}`,
    [`${MAX_DEPTH - 1} lists in a map`]: '['.repeat(MAX_DEPTH - 1) + ']'.repeat(MAX_DEPTH - 1),
  }
  for (const [what, value] of Object.entries(texts)) {
    test(what, () => {
      const { parsed } = validateManifest(`svc_version: 1\ntitle: ${value}\n`, 'yaml')
      expect(parsed).toHaveProperty('title')
    })
  }

  test('one level more than allowed is refused in every layout', () => {
    const lists = `a: ${'['.repeat(MAX_DEPTH)}${']'.repeat(MAX_DEPTH)}`
    const maps = Array.from({ length: MAX_DEPTH + 1 }, (_, at) => `${' '.repeat(at)}a:\n`).join('')
    for (const text of [lists, maps]) expect(validateManifest(text, 'yaml').parsed).toBeNull()
  })
})

const soups = isLongRun ? 3_000 : 300
test(`${soups} deep soups of indicators never throw`, { timeout: 300_000 }, () => {
  const random = seededRandom(TEST_SEED)
  const pieces = [
    '[',
    '{',
    ']',
    '}',
    '- ',
    '? ',
    ': ',
    'a: ',
    '\n',
    '\n ',
    '\n    ',
    ',',
    '"',
    "'",
    '&a ',
    '!t ',
    '#',
    'a',
  ]
  for (let index = 0; index < soups; index += 1) {
    const few = Array.from({ length: 1 + Math.floor(random() * 5) }, () => pieces[Math.floor(random() * pieces.length)])
    const text = few.join('').repeat(1 + Math.floor(random() * 300))
    const { parsed, issues } = validateManifest(text, 'yaml')
    if (parsed === null) expect(issues, `seed ${TEST_SEED}: ${JSON.stringify(few)}`).toHaveLength(1)
    expect(issues.map(({ message }) => message).join(), `seed ${TEST_SEED}`).not.toContain('call stack')
  }
})
