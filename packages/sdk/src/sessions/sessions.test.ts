import { describe, expect, test } from 'vitest'
import { getChildSessionId, getChildSessionToolParts, shouldShowToolPart } from './find-child-session.ts'
import { formatUuid, generateSessionId } from './generate-session-id.ts'
import { isRuntimeReady } from './is-runtime-ready.ts'
import { allDescendantIds, childMapByParent } from './list-descendants.ts'
import { getHiddenToolParts, getPermissionForTool, getQuestionForTool, isToolPartHidden } from './match-requests.ts'
import { sortSessions } from './sort-sessions.ts'

describe('child session of a tool call', () => {
  test.each([
    'task',
    'agent_spawn',
    'agent-spawn',
    'agent_message',
    'agent_task',
    'agent_task_update',
    'agent_task_message',
    'agent_task_start',
    'task_create',
    'task-create',
    'task_start',
    'task_update',
    'task_message',
  ])('%s: metadata, else title, else output', (tool) => {
    const part = (state: unknown) => getChildSessionId({ type: 'tool', tool, state })
    expect(part({ status: 'running', metadata: { sessionId: 'ses_1' }, title: 'ses_2' })).toBe('ses_1')
    expect(part({ title: 'in ses_2b now', output: 'ses_3' })).toBe('ses_2b')
    expect(part({ title: 'Run', output: '<task id="ses_3"> ses_4' })).toBe('ses_3')
    expect(part({ title: 'Run', output: 'losses_3 none' })).toBeUndefined()
  })
  test.each([
    ['- **Session:** ses_9x', 'ses_9x'],
    ['**Session**: `ses_9`', 'ses_9'],
    ['Session: ses_1 and ses_2', 'ses_1'],
    ['ses_1 alone', undefined],
    [`Session${' '.repeat(100_000)}ses_1`, undefined],
  ])('session_spawn printing %j', (output, id) => {
    expect(getChildSessionId({ tool: 'session-spawn', state: { output } })).toBe(id)
    expect(getChildSessionId({ tool: 'session_start_background', state: { output } })).toBe(id)
  })
  test.each(['bash', 'task_list', 'task_done', 'session_read', 'agent_stop'])('%s has none', (tool) => {
    expect(getChildSessionId({ tool, state: { metadata: { sessionId: 'ses_1' }, output: 'Session: ses_1' } })).toBe(
      undefined,
    )
  })
  test('the shown calls are those of answers, without the hidden tools', () => {
    const read = { type: 'tool', tool: 'read' }
    const messages = [
      { info: { id: 'u', role: 'user' }, parts: [{ type: 'tool', tool: 'bash' }] },
      { info: { id: 'a', role: 'assistant' }, parts: [{ type: 'text' }, read, { type: 'tool', tool: 'todoread' }] },
    ]
    expect(getChildSessionToolParts(messages)).toEqual([read])
    expect(shouldShowToolPart({ tool: 'context_info' })).toBe(false)
    expect(shouldShowToolPart({ tool: 'todowrite' })).toBe(true)
  })
})

describe('pending requests', () => {
  const tool = { messageID: 'm', callID: 'c' }
  test('the first request for a call is found', () => {
    const first = { id: '1', tool }
    const others = [{ id: '0', tool: undefined }, first, { id: '2', tool }]
    expect(getPermissionForTool(others, 'c')).toBe(first)
    expect(getQuestionForTool([first], 'c')).toBe(first)
    expect(getQuestionForTool([first], 'other')).toBeUndefined()
    expect(getPermissionForTool(undefined, 'c')).toBeUndefined()
  })
  test('calls behind a request are hidden, permission first', () => {
    const other = { messageID: 'm2', callID: 'c2' }
    expect(getHiddenToolParts({ tool }, undefined)).toEqual([tool])
    expect(getHiddenToolParts({ tool }, { tool: other })).toEqual([tool, other])
    expect(getHiddenToolParts({}, null)).toEqual([])
  })
  test('message and call must both match', () => {
    expect(isToolPartHidden({ callID: 'c' }, 'm', [tool])).toBe(true)
    expect(isToolPartHidden({ callID: 'c' }, 'other', [tool])).toBe(false)
    expect(isToolPartHidden({ callID: 'x' }, 'm', [tool])).toBe(false)
    expect(isToolPartHidden({}, 'm', [tool])).toBe(false)
  })
})

describe('lists of sessions', () => {
  const row = (id: string, updated: number) => ({ id, time: { created: 1, updated } })
  test('sessions of the last minute come first by id, the others newest first', () => {
    const rows = [row('c', 30_000), row('b', 95_000), row('d', 39_000), row('a', 90_000)]
    expect(rows.sort(sortSessions(100_000)).map(({ id }) => id)).toEqual(['a', 'b', 'd', 'c'])
  })
  test('exactly a minute old is not recent', () => {
    const rows = [row('z', 40_001), row('a', 40_000)]
    expect(rows.sort(sortSessions(100_000)).map(({ id }) => id)).toEqual(['z', 'a'])
  })
  test('a session never updated counts from its creation', () => {
    const rows = [{ id: 'b', time: { created: 50_000 } }, row('a', 60_000)]
    expect(rows.sort(sortSessions(100_000)).map(({ id }) => id)).toEqual(['a', 'b'])
  })
  test('descendants are listed depth first', () => {
    const map = childMapByParent([
      { id: 'p' },
      { id: 'c1', parentID: 'p' },
      { id: 'c2', parentID: 'p' },
      { id: 'g', parentID: 'c1' },
    ])
    expect([...map]).toEqual([
      ['p', ['c1', 'c2']],
      ['c1', ['g']],
    ])
    expect(allDescendantIds(map, 'p')).toEqual(['c1', 'g', 'c2'])
    expect(allDescendantIds(map, 'unknown')).toEqual([])
  })
  test('a circle is walked once and a chain of 100,000 does not overflow', () => {
    const circle = new Map([
      ['a', ['b']],
      ['b', ['a', 'b', 'c']],
    ])
    expect(allDescendantIds(circle, 'a')).toEqual(['b', 'c'])
    const chain = new Map(Array.from({ length: 100_000 }, (_, at) => [String(at), [String(at + 1)]]))
    expect(allDescendantIds(chain, '0')).toHaveLength(100_000)
  })
})

test.each([
  [{ runtimeReady: true }, true],
  [{ runtimeReady: false, opencode: 'ok' }, false],
  [{ opencode: 'starting' }, false],
  [{ opencode: 'ok' }, true],
  [{ opencode: true }, true],
  [{ status: 'ok' }, true],
  [{ status: 'starting' }, false],
  [{ status: 'down' }, false],
  [{ status: 'error' }, false],
  [{}, true],
  [null, false],
])('%j is ready: %s', (health, ready) => {
  expect(isRuntimeReady(health)).toBe(ready)
})

describe('session ids', () => {
  const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
  test('are version 4 UUIDs', () => {
    expect(generateSessionId()).toMatch(UUID_V4)
    expect(formatUuid(new Uint8Array(16))).toBe('00000000-0000-4000-8000-000000000000')
    expect(formatUuid(new Uint8Array(16).fill(255))).toBe('ffffffff-ffff-4fff-bfff-ffffffffffff')
  })
  test.each([
    ['getRandomValues', { getRandomValues: (bytes: Uint8Array) => bytes.fill(7) }],
    ['Math.random', undefined],
  ])('also with %s alone', (_name, replacement) => {
    const original = Object.getOwnPropertyDescriptor(globalThis, 'crypto')
    Object.defineProperty(globalThis, 'crypto', { value: replacement, configurable: true })
    try {
      expect(generateSessionId()).toMatch(UUID_V4)
    } finally {
      if (original) Object.defineProperty(globalThis, 'crypto', original)
    }
  })
})
