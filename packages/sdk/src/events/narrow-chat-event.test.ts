import { expect, test } from 'vitest'
import { heartbeatGapEvent, narrowChatEvent } from './narrow-chat-event.ts'

const S = { sessionID: 's' }
const tool = { messageID: 'm', callID: 'c' }

test.each([
  ['message.updated', { ...S, info: { id: 'm' } }, { type: 'message.updated', ...S, message: { id: 'm' } }],
  ['message.removed', { ...S, messageID: 'm' }, { type: 'message.removed', ...S, messageID: 'm' }],
  ['message.part.updated', { ...S, part: { id: 'p' } }, { type: 'message.part.updated', ...S, part: { id: 'p' } }],
  [
    'message.part.removed',
    { ...S, messageID: 'm', partID: 'p' },
    { type: 'message.part.removed', ...S, messageID: 'm', partID: 'p' },
  ],
  ['session.status', { ...S, status: { type: 'busy' } }, { type: 'session.status', ...S, status: { type: 'busy' } }],
  ['session.idle', S, { type: 'session.idle', ...S }],
  ['session.error', { ...S, error: { name: 'x' } }, { type: 'session.error', ...S, error: { name: 'x' } }],
  ['session.error', {}, { type: 'session.error' }],
  [
    'question.asked',
    { ...S, id: 'q', questions: [], tool },
    { type: 'question.asked', ...S, requestID: 'q', questions: [], tool },
  ],
  [
    'question.replied',
    { ...S, requestID: 'q', answers: [['a']] },
    { type: 'question.answered', ...S, requestID: 'q', outcome: 'replied', answers: [['a']] },
  ],
  [
    'question.rejected',
    { ...S, requestID: 'q' },
    { type: 'question.answered', ...S, requestID: 'q', outcome: 'rejected' },
  ],
  [
    'permission.asked',
    { ...S, id: 'p', permission: 'bash', patterns: ['ls'] },
    { type: 'permission.asked', ...S, requestID: 'p', permission: 'bash', patterns: ['ls'] },
  ],
  [
    'permission.replied',
    { ...S, requestID: 'p', reply: 'once' },
    { type: 'permission.replied', ...S, requestID: 'p', reply: 'once' },
  ],
  ['todo.updated', { ...S, todos: [] }, { type: 'todo.updated', ...S, todos: [] }],
  ['server.connected', {}, { type: 'connection', status: 'connected' }],
  ['message.part.delta', { ...S, partID: 'p' }, null],
  ['server.heartbeat', {}, null],
  ['message.updated', { ...S }, null],
  ['session.idle', {}, null],
  ['constructor', S, null],
])('%s %j', (type, properties, expected) => {
  expect(narrowChatEvent({ type, properties })).toStrictEqual(expected)
})

test('a silent stretch is an event too', () => {
  expect(heartbeatGapEvent(7)).toEqual({ type: 'heartbeat-gap', gapMs: 7 })
  expect(narrowChatEvent(null)).toBeNull()
})
