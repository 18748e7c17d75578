import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RuntimeEvent } from '../../runtimes/index.ts'
import { applyEvents } from './apply-events.ts'
import { createBatch } from './batch-events.ts'

const delta = (partID: string, text: string): RuntimeEvent => ({
  type: 'message.part.delta',
  properties: { sessionID: 'ses_1', messageID: 'msg_1', partID, field: 'text', delta: text },
})
const updated = (id: string, text: string): RuntimeEvent => ({
  type: 'message.part.updated',
  properties: { sessionID: 'ses_1', part: { id, messageID: 'msg_1', sessionID: 'ses_1', type: 'text', text } },
})

function gather(events: readonly RuntimeEvent[]): RuntimeEvent[] {
  const batch = createBatch()
  for (const event of events) batch.add(event)
  return batch.take()
}

const number = (events: readonly RuntimeEvent[]) => events.map((event, index) => ({ ...event, seq: index + 1 }))

describe('a batch of events', () => {
  test('pieces of one text become one piece, in the order they came', () => {
    const events = gather([delta('a', 'He'), delta('b', 'x'), delta('a', 'llo'), delta('b', 'y')])
    expect(events.map(({ properties }) => [properties.partID, properties.delta])).toEqual([
      ['a', 'Hello'],
      ['b', 'xy'],
    ])
  })

  test('any other event ends the merging, so that nothing changes place with it', () => {
    const events = gather([delta('a', '1'), updated('a', 'one'), delta('a', '2')])
    expect(events.map(({ type }) => type)).toEqual(['message.part.delta', 'message.part.updated', 'message.part.delta'])
  })

  test('what the runtime says about itself is not kept', () => {
    const types = ['server.connected', 'server.heartbeat', 'plugin.added', 'catalog.updated']
    expect(gather(types.map((type) => ({ type, properties: {} })))).toEqual([])
  })

  test('merged or not, the same messages and parts come of it', () => {
    const event = fc.oneof(
      fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.string()).map(([id, text]) => delta(id, text)),
      fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.string()).map(([id, text]) => updated(id, text)),
      fc.constantFrom('a', 'b').map((partID) => ({
        type: 'message.part.removed',
        properties: { sessionID: 'ses_1', messageID: 'msg_1', partID },
      })),
    )
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        const merged = applyEvents(number(gather(events)), new Map())
        expect(merged).toEqual(applyEvents(number(events), new Map()))
      }),
    )
  })
})
