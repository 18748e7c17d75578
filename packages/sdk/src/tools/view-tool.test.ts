import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { diffLines } from './diff-lines.ts'
import { shellExitCode } from './read-shell-output.ts'
import { toolViewModel } from './view-tool.ts'
import type { ToolView } from './view-tool-part.ts'

const view = (name: string, fields: Partial<ToolView> = {}) =>
  toolViewModel({ name, title: 'T', status: 'done', ...fields })

describe('examples', () => {
  test.each<[string, Partial<ToolView>, unknown]>([
    [
      'bash',
      { input: { command: 'make' }, output: 'built\n<exit_code>2</exit_code>' },
      { kind: 'shell', command: 'make', stdout: 'built', exitCode: 2 },
    ],
    [
      'edit',
      { input: { filePath: 'a', oldString: 'x\ny', newString: 'x\nz' } },
      {
        kind: 'file-edit',
        path: 'a',
        diff: [
          { type: 'unchanged', text: 'x' },
          { type: 'removed', text: 'y' },
          { type: 'added', text: 'z' },
        ],
      },
    ],
    [
      'grep',
      { input: { pattern: 'x' }, output: 'Found 1 matches\n\n/s/a.ts:\n  Line 3: x = 1;' },
      { kind: 'search', pattern: 'x', matches: [{ path: '/s/a.ts', line: 3, content: 'x = 1' }] },
    ],
    [
      'todowrite',
      { input: { todos: [{ content: 'a' }] } },
      { kind: 'todo', items: [{ content: 'a', status: 'pending' }] },
    ],
    [
      'webfetch',
      { title: 'Fetch Page', input: { url: 'u' }, output: 'ok' },
      { kind: 'generic', label: 'Fetch Page', inputPretty: '{\n  "url": "u"\n}', outputPretty: 'ok' },
    ],
  ])('%s', (name, fields, expected) => {
    expect(view(name, fields)).toStrictEqual(expected)
  })
})

describe('web search', () => {
  test('query, answer and results come from the parsed output', () => {
    const body = {
      query: 'out',
      answer: 'yes',
      results: [{ title: 'a', url: 'u', snippet: 's' }, { link: 'l', description: 'd' }, { source: 'x' }, 'not a row'],
    }
    expect(view('oc-web-search', { input: { query: 'in' }, output: JSON.stringify(body) })).toStrictEqual({
      kind: 'web-search',
      query: 'out',
      answer: 'yes',
      results: [
        { title: 'a', url: 'u', snippet: 's' },
        { title: '', url: 'l', snippet: 'd' },
        { title: '', url: '', snippet: 'x' },
      ],
    })
  })
  test('images stand in for results, at most 50', () => {
    const images = Array.from({ length: 60 }, (_, at) => ({ title: String(at) }))
    const model = view('image_search', { input: { query: 'q' }, outputParsed: { images }, output: '' })
    expect(model).toMatchObject({ kind: 'web-search', query: 'q' })
    expect(model.kind === 'web-search' && model.results).toHaveLength(50)
  })
  test('no results leaves the field out', () => {
    expect(view('websearch', { input: { query: 'q' }, output: '{"results":[]}' })).toStrictEqual({
      kind: 'web-search',
      query: 'q',
    })
  })
  test('a failure says so', () => {
    expect(view('web_search', { status: 'error', input: { query: 'q' } })).toStrictEqual({
      kind: 'web-search',
      query: 'q',
      error: 'Search failed',
    })
    expect(view('web_search', { status: 'error', error: 'no credits' })).toStrictEqual({
      kind: 'web-search',
      query: '',
      error: 'no credits',
    })
  })
})

describe('shell', () => {
  test.each<[string, Partial<ToolView>, unknown]>([
    ['metadata is dropped', { output: 'a<bash_metadata>x</bash_metadata>b' }, 'ab'],
    ['an unclosed block stays', { output: 'a<bash_metadata>x' }, 'a<bash_metadata>x'],
    ['system info cuts', { output: 'a\n<system_info>b' }, 'a'],
    ['a closing tag cuts', { output: 'a\n</stderr_note>b' }, 'a'],
    ['colours are removed', { output: '\u001b[31mred\u001b[0m' }, 'red'],
    ['an error text stands in', { status: 'error', error: 'denied' }, 'denied'],
    ['output wins over the error text', { status: 'error', error: 'denied', output: 'x' }, 'x'],
    ['nothing printed', { output: ' \n' }, undefined],
  ])('%s', (_name, fields, stdout) => {
    const model = view('bash', { input: { command: 'c' }, ...fields })
    expect(model.kind === 'shell' && model.stdout).toBe(stdout)
  })
  test.each([
    ['<exit_code>0</exit_code>', 0],
    ['<exit_code> -1 </exit_code>', -1],
    ['<exit_code></exit_code>', undefined],
    ['plain', undefined],
  ])('exit code of %s is %s', (output, code) => {
    expect(shellExitCode(output)).toBe(code)
  })
})

describe('files', () => {
  test.each<[string, Partial<ToolView>, unknown]>([
    ['read', { input: { filePath: '/a' }, output: 'x' }, { kind: 'file-read', path: '/a', preview: 'x' }],
    [
      'read',
      { status: 'error', input: { file_path: '/a' }, error: 'gone' },
      { kind: 'file-read', path: '/a', preview: 'gone' },
    ],
    ['read', { input: { path: '/a' } }, { kind: 'file-read', path: '/a' }],
    [
      'write',
      { input: { filePath: '/a', content: 'c' }, output: 'ok' },
      { kind: 'file-write', path: '/a', preview: 'c' },
    ],
    ['write', { output: 'ok' }, { kind: 'file-write', path: '', preview: 'ok' }],
    ['edit', { input: { filePath: 'a', oldString: '', newString: 'x' } }, { kind: 'file-edit', path: 'a' }],
  ])('%s %j', (name, fields, expected) => {
    expect(view(name, fields)).toStrictEqual(expected)
  })

  test('a preview of 4000 characters is whole, a longer one is cut to 4000 and says so', () => {
    const whole = view('read', { output: 'a'.repeat(4000) })
    expect(whole.kind === 'file-read' && whole.preview).toBe('a'.repeat(4000))
    const cut = view('read', { output: 'a'.repeat(4001) })
    expect(cut.kind === 'file-read' && cut.preview).toBe(`${'a'.repeat(3998)}\n…`)
  })

  test('texts of 262144 characters together are compared, one more is not', () => {
    const half = 'a'.repeat(131_072)
    expect(view('edit', { input: { oldString: half, newString: half } })).toHaveProperty('diff')
    expect(view('morph_edit', { input: { oldString: half, newString: `${half}a` } })).not.toHaveProperty('diff')
  })
})

describe('diff', () => {
  test('keeps both texts whole', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', '', 'c'), { minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = diffLines(before.join('\n'), after.join('\n'))
        const pick = (type: string) => diff.filter((line) => line.type !== type).map((line) => line.text)
        expect(pick('added')).toEqual(before)
        expect(pick('removed')).toEqual(after)
      }),
    )
  })
  test('equal texts are all unchanged', () => {
    expect(diffLines('a\na', 'a\na').every((line) => line.type === 'unchanged')).toBe(true)
  })
  test('a repeated line at both ends is not counted twice', () => {
    expect(diffLines('a\na', 'a')).toEqual([
      { type: 'unchanged', text: 'a' },
      { type: 'removed', text: 'a' },
    ])
  })
})

describe('search', () => {
  test('blank lines between the entries of one file do not end it', () => {
    const output = 'Found 3 matches\n/a:\n  Line 2: x\n\n  Line 5: y;;\n\n/b b:\n  Line 1: '
    expect(view('grep', { input: { query: 'q' }, output })).toStrictEqual({
      kind: 'search',
      pattern: 'q',
      matches: [
        { path: '/a', line: 2, content: 'x' },
        { path: '/a', line: 5, content: 'y;' },
        { path: '/b b', line: 1, content: '' },
      ],
    })
  })
  test('glob keeps lines that are paths', () => {
    expect(view('glob', { input: { pattern: '*' }, output: '/a\nNo more\n./b\r\n~/c\nd' })).toStrictEqual({
      kind: 'search',
      pattern: '*',
      matches: [{ path: '/a' }, { path: './b' }, { path: '~/c' }],
    })
  })
  test('at most 200 matches', () => {
    const model = view('glob', { output: '/a\n'.repeat(300) })
    expect(model.kind === 'search' && model.matches).toHaveLength(200)
  })
  test.each<[Partial<ToolView>]>([[{ output: 'No files found' }], [{}], [{ status: 'error', output: '/a' }]])(
    'no matches field for %j',
    (fields) => {
      expect(view('glob', fields)).toStrictEqual({ kind: 'search', pattern: '' })
    },
  )
})

describe('task, todo, question', () => {
  test.each<[string, Partial<ToolView>, unknown]>([
    ['task', { input: { description: 'd', subagent_type: 'qa' } }, { kind: 'task', description: 'd', agent: 'qa' }],
    ['task', { input: { prompt: 'p', agent: 'x' } }, { kind: 'task', description: 'p', agent: 'x' }],
    ['task', {}, { kind: 'task', description: 'T' }],
    [
      'todowrite',
      { output: '{"todos":[{"content":"a","status":"done","priority":"high"}]}' },
      { kind: 'todo', items: [{ content: 'a', status: 'done', priority: 'high' }] },
    ],
    ['todowrite', { output: '[{}]' }, { kind: 'todo', items: [{ content: '', status: 'pending' }] }],
    ['todowrite', {}, { kind: 'todo', items: [] }],
    [
      'ask',
      { input: { questions: [{ question: 'Q', header: 'H', options: [{ label: 'a', description: 'd' }, {}] }] } },
      { kind: 'question', questions: [{ question: 'Q', header: 'H', options: [{ label: 'a', description: 'd' }] }] },
    ],
    [
      'question',
      { input: { questions: [{ question: 'Q' }] }, output: 'User has answered: "Q"="Red". Go on.' },
      { kind: 'question', questions: [{ question: 'Q', options: [] }], answers: [['Red']] },
    ],
    [
      'question',
      { input: { questions: [{}] }, output: '{"answers":[["a","b"],"c"]}' },
      { kind: 'question', questions: [{ question: '', options: [] }], answers: [['a', 'b'], ['c']] },
    ],
  ])('%s %j', (name, fields, expected) => {
    expect(view(name, fields)).toStrictEqual(expected)
  })
})

describe('generic', () => {
  test.each<[Partial<ToolView>, unknown]>([
    [{ output: '{"a":1}' }, { kind: 'generic', label: 'T', outputPretty: '{\n  "a": 1\n}' }],
    [{ output: '"text"' }, { kind: 'generic', label: 'T', outputPretty: 'text' }],
    [
      { status: 'error', error: 'no' },
      { kind: 'generic', label: 'T', outputPretty: 'no' },
    ],
    [{ input: {} }, { kind: 'generic', label: 'T' }],
  ])('%j', (fields, expected) => {
    expect(view('custom_tool', fields)).toStrictEqual(expected)
  })
  test('a cycle has no JSON form and is left out', () => {
    const input: Record<string, unknown> = {}
    input.self = input
    expect(view('custom_tool', { input })).toStrictEqual({ kind: 'generic', label: 'T' })
  })
  test('pretty JSON is cut at 4000 characters', () => {
    const model = view('custom_tool', { input: { text: 'a'.repeat(9000) } })
    expect(model.kind === 'generic' && model.inputPretty).toHaveLength(4000)
  })
})
