import { describe, expect, test } from 'vitest'
import { listDifferences } from './reconcile.ts'
import { judgeAnswer } from './watch-turn.ts'

const info = { id: 'msg_1', sessionID: 'ses_1', role: 'assistant', time: { created: 1 } }
const part = (text: string) => ({ id: 'prt_1', messageID: 'msg_1', sessionID: 'ses_1', type: 'text', text })

describe('after a gap in the stream', () => {
  test('what is known already makes no event', () => {
    const message = { info, parts: [part('a')] }
    expect(listDifferences([message], [message])).toEqual([])
  })

  test('what was missed is made up: a new message, a changed one, a changed part', () => {
    const done = { ...info, time: { created: 1, completed: 2 } }
    const added = { info: { ...info, id: 'msg_2' }, parts: [{ ...part('x'), messageID: 'msg_2' }] }
    const events = listDifferences([{ info: done, parts: [part('ab')] }, added], [{ info, parts: [part('a')] }])
    expect(events.map(({ type }) => type)).toEqual([
      'message.updated',
      'message.part.updated',
      'message.updated',
      'message.part.updated',
    ])
  })

  test('a text that a killed runtime had only begun to keep stays as long as it was told', () => {
    expect(listDifferences([{ info, parts: [part('Hel')] }], [{ info, parts: [part('Hello')] }])).toEqual([])
    expect(listDifferences([{ info, parts: [part('Other')] }], [{ info, parts: [part('Hello')] }])).toHaveLength(1)
  })

  test('messages that the runtime forgot stay', () => {
    expect(listDifferences([], [{ info, parts: [] }])).toEqual([])
  })
})

describe('how a turn ended, when nobody heard it end', () => {
  const time = { created: 1, completed: 2 }
  test.each([
    ['no answer at all', undefined, 'interrupted'],
    ['an answer that was not finished', info, 'interrupted'],
    ['an answer that wanted to go on with tools', { ...info, time, finish: 'tool-calls' }, 'interrupted'],
    ['a finished answer', { ...info, time, finish: 'stop' }, 'completed'],
    ['an aborted one', { ...info, time, error: { name: 'MessageAbortedError' } }, 'aborted'],
    ['a failed one', { ...info, time, error: { name: 'APIError' } }, 'failed'],
  ] as const)('%s', (_what, answer, reason) => expect(judgeAnswer(answer)).toBe(reason))
})
