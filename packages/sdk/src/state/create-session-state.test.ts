import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSseParser } from '../events/parse-sse.ts'
import { compareMessagesForDisplay } from '../turns/compare-messages.ts'
import { createSessionState } from './create-session-state.ts'

const read = (name: string) => readFileSync(new URL(`../../fixtures/${name}`, import.meta.url), 'utf8')
const sessionID = 's'
const event = (type: string, properties: Record<string, unknown>) => ({
  type,
  properties: { sessionID, ...properties },
})
const message = (id: string, role = 'assistant', created = 1) =>
  event('message.updated', { info: { id, role, time: { created } } })
const part = (id: string, messageID: string, text: string) =>
  event('message.part.updated', { part: { id, messageID, type: 'text', text } })
const delta = (partID: string, messageID: string, text: string, field = 'text') =>
  event('message.part.delta', { partID, messageID, field, delta: text })

describe('messages', () => {
  test('parts and deltas build up a message', () => {
    const state = createSessionState(sessionID)
    expect(state.apply(message('m'))).toBe(true)
    expect(state.apply(part('p', 'm', 'He'))).toBe(true)
    expect(state.apply(delta('p', 'm', 'llo'))).toBe(true)
    expect(state.snapshot().messages).toMatchObject([{ info: { id: 'm' }, parts: [{ id: 'p', text: 'Hello' }] }])
  })
  test('parts that come before their message wait for it', () => {
    const state = createSessionState(sessionID)
    state.apply(part('p2', 'm', 'b'))
    state.apply(part('p1', 'm', 'a'))
    expect(state.snapshot().messages).toEqual([])
    state.apply(message('m'))
    expect(state.snapshot().messages[0]?.parts.map(({ id }) => id)).toEqual(['p1', 'p2'])
  })
  test('removals', () => {
    const state = createSessionState(sessionID)
    for (const step of [message('m'), part('p1', 'm', 'a'), part('p2', 'm', 'b'), part('p3', 'm', 'c')])
      state.apply(step)
    expect(state.apply(event('message.part.removed', { messageID: 'm', partID: 'p1' }))).toBe(true)
    state.apply(delta('p3', 'm', '!'))
    expect(state.snapshot().messages[0]?.parts).toMatchObject([{ text: 'b' }, { text: 'c!' }])
    expect(state.apply(event('message.removed', { messageID: 'm' }))).toBe(true)
    expect(state.snapshot().messages).toEqual([])
    expect(state.apply(event('message.removed', { messageID: 'm' }))).toBe(false)
  })
  test('messages stand in display order however they arrive', () => {
    const ids = fc.uniqueArray(fc.nat({ max: 999 }), { maxLength: 20 })
    fc.assert(
      fc.property(ids, (numbers) => {
        const state = createSessionState(sessionID)
        for (const n of numbers) state.apply(message(n % 2 ? `msg_${String(n).padStart(12, '0')}` : `x${n}`, 'user', n))
        const { messages } = state.snapshot()
        expect(messages).toEqual([...messages].sort(compareMessagesForDisplay))
        expect(messages).toHaveLength(numbers.length)
      }),
    )
  })
  test('what did not change stays the same object, what changed is a new one', () => {
    const state = createSessionState(sessionID)
    for (const step of [message('m1'), message('m2'), part('p1', 'm1', 'a'), part('p2', 'm2', 'b')]) state.apply(step)
    const before = state.snapshot()
    expect(state.snapshot()).toBe(before)
    state.apply(delta('p2', 'm2', '!'))
    const after = state.snapshot()
    expect(after.messages[0]).toBe(before.messages[0])
    expect(after.messages[1]).not.toBe(before.messages[1])
    expect(before.messages[1]?.parts[0]?.text).toBe('b')
  })
})

describe('the rest of a session', () => {
  test('status, error, todos, diffs and requests', () => {
    const state = createSessionState(sessionID)
    state.apply(event('session.error', { error: { name: 'x' } }))
    expect(state.snapshot().error).toEqual({ name: 'x' })
    state.apply(event('session.status', { status: { type: 'busy' } }))
    expect(state.snapshot()).toMatchObject({ status: { type: 'busy' }, error: undefined })
    state.apply(event('todo.updated', { todos: [1] }))
    state.apply(event('session.diff', { diff: [2] }))
    state.apply(event('permission.asked', { id: 'p' }))
    state.apply(event('permission.asked', { id: 'p' }))
    state.apply(event('question.asked', { id: 'q' }))
    expect(state.snapshot()).toMatchObject({
      todos: [1],
      diffs: [2],
      permissions: [{ id: 'p' }],
      questions: [{ id: 'q' }],
    })
    state.apply(event('permission.replied', { requestID: 'p' }))
    state.apply(event('question.rejected', { requestID: 'q' }))
    state.apply(event('session.idle', {}))
    expect(state.snapshot()).toMatchObject({ status: { type: 'idle' }, permissions: [], questions: [] })
  })
  test.each([
    null,
    'x',
    {},
    { type: 'message.updated' },
    { type: 'message.updated', properties: { sessionID: 'other', info: { id: 'm', role: 'user' } } },
    event('message.updated', { info: { id: 7 } }),
    event('message.part.updated', { part: null }),
    event('hologram', {}),
    delta('p', 'm', 'x', '__proto__'),
    delta('p', 'm', 'x', 'id'),
    delta('p', 'm', 'x', 'missing'),
    delta('gone', 'm', 'x'),
  ])('%j changes nothing', (wild) => {
    const state = createSessionState(sessionID)
    state.apply(message('m'))
    state.apply(part('p', 'm', 'a'))
    const before = state.snapshot()
    expect(state.apply(wild)).toBe(false)
    expect(state.snapshot()).toBe(before)
  })
})

describe('a captured run', () => {
  const events: Record<string, unknown>[] = []
  createSseParser(({ data }) => events.push(JSON.parse(data))).push(read('runtime-events.txt'))
  const stored: { info: { id: string; sessionID: string }; parts: { id: string; type: string }[] }[] = JSON.parse(
    read('runtime-messages.json'),
  )
  const id = stored[0]?.info.sessionID ?? ''

  test('replaying its events gives the messages the runtime stored', () => {
    const state = createSessionState(id)
    for (const entry of events) state.apply(entry)
    // The capture of the messages was taken before the last events of the stream.
    const built = state.snapshot().messages.slice(0, stored.length)
    expect(built.map(({ info }) => info.id)).toEqual(stored.map(({ info }) => info.id))
    for (const [at, expected] of stored.entries()) {
      expect(built[at]?.parts.map((entry) => entry.id)).toEqual(expected.parts.map((entry) => entry.id))
    }
  })
  test('loading the stored messages gives the same messages', () => {
    const state = createSessionState(id)
    state.load(stored)
    expect(state.snapshot().messages).toEqual(stored)
  })
})
