import { describe, expect, test } from 'vitest'
import { classifyPart } from './classify-part.ts'

const tokens = { input: 1, output: 2, reasoning: 3, cache: { read: 4, write: 5 } }

describe('each of the 12 wire types has one shape', () => {
  test.each([
    [
      { type: 'text', id: 'p', text: 'hi' },
      { kind: 'text', id: 'p', text: 'hi', synthetic: false },
    ],
    [
      { type: 'text', id: 'p', text: 'hi', synthetic: true },
      { kind: 'text', id: 'p', text: 'hi', synthetic: true },
    ],
    [
      { type: 'reasoning', id: 'p', text: 'hm' },
      { kind: 'reasoning', id: 'p', text: 'hm' },
    ],
    [
      { type: 'file', id: 'p', mime: 'image/png', filename: 'a.png', url: 'u' },
      { kind: 'file', id: 'p', filename: 'a.png', mime: 'image/png', url: 'u', isImage: true, isPdf: false },
    ],
    [
      { type: 'file', id: 'p', mime: 'application/pdf', url: 'u' },
      { kind: 'file', id: 'p', mime: 'application/pdf', url: 'u', isImage: false, isPdf: true },
    ],
    [
      {
        type: 'subtask',
        id: 'p',
        description: 'd',
        agent: 'qa',
        prompt: 'x',
        model: { providerID: 'a', modelID: 'b' },
      },
      {
        kind: 'subtask',
        id: 'p',
        description: 'd',
        agent: 'qa',
        prompt: 'x',
        model: { providerID: 'a', modelID: 'b' },
      },
    ],
    [
      { type: 'patch', id: 'p', hash: 'h', files: ['a', 'b'] },
      { kind: 'patch', id: 'p', hash: 'h', files: ['a', 'b'], fileCount: 2 },
    ],
    [
      { type: 'snapshot', id: 'p', snapshot: 's' },
      { kind: 'snapshot', id: 'p', snapshot: 's' },
    ],
    [
      { type: 'agent', id: 'p', name: 'qa', source: { value: '@qa', start: 0, end: 3 } },
      { kind: 'agent', id: 'p', name: 'qa' },
    ],
    [
      {
        type: 'retry',
        id: 'p',
        attempt: 2,
        error: { name: 'APIError', data: { message: 'busy' } },
        time: { created: 9 },
      },
      { kind: 'retry', id: 'p', attempt: 2, message: 'busy', createdAt: 9 },
    ],
    [
      { type: 'compaction', id: 'p', auto: true, tail_start_id: 'm9' },
      { kind: 'compaction', id: 'p', auto: true, overflow: false, tailStartId: 'm9' },
    ],
    [
      { type: 'step-start', id: 'p', snapshot: 's' },
      { kind: 'step', id: 'p', phase: 'start', snapshot: 's' },
    ],
    [
      { type: 'step-finish', id: 'p', reason: 'stop', cost: 0.5, tokens },
      { kind: 'step', id: 'p', phase: 'finish', reason: 'stop', cost: 0.5, tokens },
    ],
  ])('%j', (part, expected) => {
    expect(classifyPart(part)).toStrictEqual(expected)
  })
})

describe('anything else becomes unknown and keeps the part', () => {
  test.each([[{ type: 'hologram', id: 'p' }], [{ type: 'constructor' }], [{ type: '__proto__' }], [{}]])(
    '%j',
    (part) => {
      expect(classifyPart(part)).toStrictEqual({ kind: 'unknown', raw: part })
    },
  )

  test.each([[null], [undefined], ['text'], [7], [[]]])('%j', (part) => {
    expect(classifyPart(part)).toStrictEqual({ kind: 'unknown', raw: part })
  })
})

describe('a tool call', () => {
  const viewOf = (part: { type: string; [field: string]: unknown }) => {
    const classified = classifyPart({ id: 'p', ...part })
    if (classified.kind !== 'tool') throw new Error(`expected a tool, got ${classified.kind}`)
    return classified.tool
  }

  test('a failure reported inside a completed output makes the call an error', () => {
    const output = '{"success":false,"error":"no credits"}'
    const state = { status: 'completed', input: { query: 'q' }, title: '', output }
    expect(viewOf({ type: 'tool', tool: 'web_search', state })).toStrictEqual({
      name: 'web_search',
      title: 'Web Search',
      status: 'error',
      input: { query: 'q' },
      output,
      outputText: output,
      outputParsed: { success: false, error: 'no credits' },
      error: 'no credits',
    })
  })

  test('output that is not JSON is kept as text only', () => {
    const state = { status: 'completed', input: {}, title: 'ls', output: 'a.txt' }
    expect(viewOf({ type: 'tool', tool: 'bash', state })).toStrictEqual({
      name: 'bash',
      title: 'ls',
      status: 'done',
      input: {},
      output: 'a.txt',
      outputText: 'a.txt',
    })
  })

  test.each([
    ['{"success":false}', 'error', 'Tool reported failure'],
    ['{"success":false,"message":"bad key"}', 'error', 'bad key'],
    ['{"success":true,"error":{"message":"deep"}}', 'error', 'deep'],
    ['{"error":{}}', 'error', 'An error occurred'],
    ['{"error":""}', 'done', undefined],
    ['{"error":null}', 'done', undefined],
    ['{"success":"false"}', 'done', undefined],
    ['[{"success":false}]', 'done', undefined],
    ['null', 'done', undefined],
  ])('completed with %s reads as %s', (output, status, error) => {
    const view = viewOf({ type: 'tool', tool: 'x', state: { status: 'completed', output } })
    expect(view.status).toBe(status)
    expect(view.error).toBe(error)
    expect(view.outputText).toBe(output)
  })

  test.each([
    ['pending', 'pending'],
    ['running', 'running'],
    ['completed', 'done'],
    ['error', 'error'],
    ['levitating', 'pending'],
    ['constructor', 'pending'],
  ])('state %s is shown as %s', (status, shown) => {
    expect(viewOf({ type: 'tool', tool: 'x', state: { status, error: 'e' } }).status).toBe(shown)
  })

  test('an error state carries its text', () => {
    expect(viewOf({ type: 'tool', tool: 'x', state: { status: 'error', error: 'denied' } }).error).toBe('denied')
  })

  test('output of 262144 characters is parsed, one more is not', () => {
    const fits = `"${'a'.repeat(262_142)}"`
    expect(viewOf({ type: 'tool', tool: 'x', state: { status: 'completed', output: fits } })).toHaveProperty(
      'outputParsed',
    )
    const over = viewOf({ type: 'tool', tool: 'x', state: { status: 'completed', output: `${fits} ` } })
    expect(over).not.toHaveProperty('outputParsed')
    expect(over.outputText).toHaveLength(262_145)
  })
})
