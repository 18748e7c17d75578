import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareMessagesForDisplay } from './compare-messages.ts'
import { groupMessagesIntoTurns } from './group-messages.ts'

interface Sample {
  readonly info: { id: string; role: string; parentID?: string; time?: { created: number } }
  readonly parts: { type: string }[]
}

let clock = 0
const sample = (id: string, role: string, parentID?: string): Sample => ({
  info: { id, role, ...(parentID !== undefined && { parentID }), time: { created: clock++ } },
  parts: [],
})
const user = (id: string) => sample(id, 'user')
const answer = (id: string, parentID?: string) => sample(id, 'assistant', parentID)
const shape = (messages: readonly Sample[]) =>
  groupMessagesIntoTurns(messages).map((turn) => [
    turn.userMessage.info.id,
    ...turn.assistantMessages.map((message) => message.info.id),
  ])

describe('grouping', () => {
  test('answers join the prompt their parent names', () => {
    expect(shape([user('u1'), answer('a1', 'u1'), user('u2'), answer('a2', 'u2')])).toEqual([
      ['u1', 'a1'],
      ['u2', 'a2'],
    ])
  })

  test('answers without a parent join the prompt before them', () => {
    expect(shape([user('u1'), answer('a1'), answer('a2')])).toEqual([['u1', 'a1', 'a2']])
  })

  test('an answer whose parent is unknown joins the prompt before it', () => {
    expect(shape([user('u1'), user('u2'), answer('a1', 'gone')])).toEqual([['u1'], ['u2', 'a1']])
  })

  test('an answer joins a prompt that comes later in the list', () => {
    expect(shape([user('u1'), answer('a2', 'u2'), user('u2')])).toEqual([['u1'], ['u2', 'a2']])
  })

  test('answers before every prompt stand at the front of the first turn, in order', () => {
    expect(shape([answer('a0'), user('u1'), answer('a1', 'u1')])).toEqual([['u1', 'a0', 'a1']])
    expect(shape([answer('x'), answer('y'), user('u1'), answer('a1', 'u1')])).toEqual([['u1', 'x', 'y', 'a1']])
  })

  test('without any prompt every answer is a turn of its own', () => {
    expect(shape([answer('a0')])).toEqual([['a0']])
    expect(shape([answer('a0'), answer('a1')])).toEqual([['a0'], ['a1']])
  })

  test('a repeated prompt is dropped, the first one stays', () => {
    const first = user('u1')
    const turns = groupMessagesIntoTurns([first, user('u1'), answer('a1', 'u1')])
    expect(turns).toHaveLength(1)
    expect(turns[0]?.userMessage).toBe(first)
  })

  test('other roles are left out', () => {
    expect(shape([user('u1'), sample('s', 'system'), answer('a1', 'u1')])).toEqual([['u1', 'a1']])
  })

  test('prototype names are ids like any other', () => {
    expect(shape([user('__proto__'), answer('constructor', '__proto__'), answer('x', 'toString')])).toEqual([
      ['__proto__', 'constructor', 'x'],
    ])
  })
})

describe('display order', () => {
  const id = (time: string) => `msg_${time}abcdef`
  test('time-ordered ids come first by id, the rest by time, untimed last in input order', () => {
    const messages = [
      { info: { id: 'z', role: 'user' }, parts: [] },
      { info: { id: 'late', role: 'user', time: { created: 9 } }, parts: [] },
      { info: { id: id('000000000002'), role: 'user', time: { created: 1 } }, parts: [] },
      { info: { id: 'a', role: 'user' }, parts: [] },
      { info: { id: 'b', role: 'user', time: { created: 5 } }, parts: [] },
      { info: { id: 'a2', role: 'user', time: { created: 5 } }, parts: [] },
      { info: { id: id('000000000001'), role: 'user', time: { created: 2 } }, parts: [] },
    ]
    expect([...messages].sort(compareMessagesForDisplay).map((message) => message.info.id)).toEqual([
      id('000000000001'),
      id('000000000002'),
      'a2',
      'b',
      'late',
      'z',
      'a',
    ])
  })
})

test('no message is lost or doubled, the caller’s objects are kept and the input is not changed', () => {
  const role = fc.constantFrom('user', 'assistant', 'system')
  const anyId = fc.oneof(
    fc.constantFrom('u1', 'u2', 'u3', '__proto__'),
    fc.nat({ max: 99 }).map((n) => `msg_${String(n).padStart(12, '0')}x`),
  )
  const message = fc.record({
    info: fc.record(
      { id: anyId, role, parentID: anyId, time: fc.record({ created: fc.nat({ max: 9 }) }) },
      { requiredKeys: ['id', 'role'] },
    ),
    parts: fc.constant([]),
  })
  fc.assert(
    fc.property(fc.array(message, { maxLength: 30 }), (messages) => {
      const before = [...messages]
      const turns = groupMessagesIntoTurns(messages)
      expect(messages).toEqual(before)
      const shown = turns.flatMap((turn) => [turn.userMessage, ...turn.assistantMessages])
      expect(new Set(shown).size).toBe(shown.length)
      const answers = messages.filter((entry) => entry.info.role === 'assistant')
      expect(answers.every((entry) => shown.includes(entry))).toBe(true)
      const prompts = new Set(messages.filter((entry) => entry.info.role === 'user').map((entry) => entry.info.id))
      expect(turns.length).toBe(prompts.size > 0 ? prompts.size : answers.length)
    }),
    { numRuns: 500 },
  )
})
