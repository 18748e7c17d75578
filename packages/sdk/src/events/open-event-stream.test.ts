import { afterEach, describe, expect, test, vi } from 'vitest'
import { createFakeClient, createFakeTimers } from './fake-stream.ts'
import type { StreamEvent } from './narrow-chat-event.ts'
import { type EventStreamHandle, openEventStream } from './open-event-stream.ts'

const open: EventStreamHandle[] = []
afterEach(() => {
  for (const stream of open.splice(0)) stream.close()
})

function start(numbered: boolean, extra: { after?: number; maxConsecutiveHardFailures?: number } = {}) {
  const timers = createFakeTimers()
  const client = createFakeClient(numbered)
  const events: StreamEvent[] = []
  const gaps: number[] = []
  const parked: { consecutiveFailures: number; lastError: unknown }[] = []
  const stream = openEventStream({
    client,
    timers,
    onEvent: (event) => events.push(event),
    onGapRehydrate: (gapMs) => gaps.push(gapMs),
    onParked: (info) => parked.push(info),
    ...extra,
  })
  open.push(stream)
  const last = () => {
    const connection = client.connections.at(-1)
    if (!connection) throw new Error('no connection yet')
    return connection
  }
  return { timers, client, events, gaps, parked, stream, last, types: () => events.map(({ type }) => type) }
}

const numbered = (seq: number, type = `e${seq}`, properties = {}) => ({ seq, type, properties })

describe('delivery', () => {
  test('events arrive in order after 16 ms, statuses of one session only once', async () => {
    const { timers, last, events, types } = start(false)
    last().accept()
    await timers.advance(0)
    last().send({ type: 'session.status', properties: { sessionID: 's', status: { type: 'busy' } } })
    last().send({ payload: { type: 'message.updated', properties: {} } })
    last().send({ type: 'session.status', properties: { sessionID: 'other' } })
    last().send({ type: 'lsp.updated', properties: {} })
    last().send({ type: 'session.status', properties: { sessionID: 's', status: { type: 'idle' } } })
    last().send({ type: 'lsp.updated', properties: { sessionID: 's' } })
    last().send({ noType: true })
    last().sendRaw('data: not json\n\n')
    await timers.advance(15)
    expect(events).toEqual([])
    await timers.advance(1)
    expect(types()).toEqual(['message.updated', 'session.status', 'session.status', 'lsp.updated'])
    expect(events[2]?.properties).toEqual({ sessionID: 's', status: { type: 'idle' } })
  })

  test('a throwing callback is logged and skipped', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const timers = createFakeTimers()
    const client = createFakeClient(false)
    const seen: string[] = []
    open.push(
      openEventStream({
        client,
        timers,
        onEvent: ({ type }) => {
          seen.push(type)
          if (type === 'a') throw new Error('mine')
        },
      }),
    )
    client.connections[0]?.accept()
    await timers.advance(0)
    client.connections[0]?.send({ type: 'a' })
    client.connections[0]?.send({ type: 'b' })
    await timers.advance(16)
    expect(seen).toEqual(['a', 'b'])
    expect(logged).toHaveBeenCalledOnce()
    logged.mockRestore()
  })

  test('a signal that was aborted before opens nothing that stays', async () => {
    const client = createFakeClient(false)
    const timers = createFakeTimers()
    const stream = openEventStream({ client, timers, onEvent: () => undefined, signal: AbortSignal.abort() })
    stream.close()
    await timers.advance(60_000)
    expect(client.connections.every(({ signal }) => signal.aborted)).toBe(true)
    expect(client.connections.length).toBeLessThanOrEqual(1)
  })

  test('streams on one client share a connection until the last one closes', async () => {
    const timers = createFakeTimers()
    const client = createFakeClient(false)
    const seen: string[] = []
    const abort = new AbortController()
    const first = openEventStream({ client, timers, onEvent: () => seen.push('first'), signal: abort.signal })
    const second = openEventStream({ client, timers, onEvent: () => seen.push('second') })
    expect(client.connections).toHaveLength(1)
    client.connections[0]?.accept()
    await timers.advance(0)
    client.connections[0]?.send({ type: 'a' })
    await timers.advance(16)
    expect(seen).toEqual(['first', 'second'])
    abort.abort()
    first.close()
    expect(client.connections[0]?.signal.aborted).toBe(false)
    client.connections[0]?.send({ type: 'a' })
    await timers.advance(16)
    expect(seen).toEqual(['first', 'second', 'second'])
    second.close()
    second.close()
    expect(client.connections[0]?.signal.aborted).toBe(true)
    await timers.advance(60_000)
    expect(client.connections).toHaveLength(1)
  })
})

describe('a numbered stream proves that it missed nothing', () => {
  test('a reconnect resumes after the last number and drops repeats', async () => {
    const { timers, last, client, types, gaps } = start(true)
    last().accept()
    await timers.advance(0)
    last().send(numbered(1), 1)
    last().send(numbered(2), 2)
    last().end()
    await timers.advance(249)
    expect(client.connections).toHaveLength(1)
    await timers.advance(1)
    expect(last().lastEventId).toBe('2')
    last().accept()
    await timers.advance(0)
    last().send(numbered(2), 2)
    last().send(numbered(3), 3)
    await timers.advance(16)
    expect(types()).toEqual(['e1', 'e2', 'e3'])
    expect(gaps).toEqual([])
  })

  test('a skipped number reconnects from the last good one', async () => {
    const { timers, last, client, types } = start(true)
    last().accept()
    await timers.advance(0)
    last().send(numbered(1), 1)
    last().send(numbered(3), 3)
    last().send(numbered(4), 4)
    await timers.advance(250)
    expect(client.connections).toHaveLength(2)
    expect(client.connections[0]?.signal.aborted).toBe(true)
    expect(last().lastEventId).toBe('1')
    last().accept()
    await timers.advance(0)
    for (const seq of [2, 3, 4]) last().send(numbered(seq), seq)
    await timers.advance(16)
    expect(types()).toEqual(['e1', 'e2', 'e3', 'e4'])
  })

  test('only a reset asks for a reload, and the stream goes on from what is left', async () => {
    const { timers, last, gaps, types, client } = start(true, { after: 5 })
    expect(last().lastEventId).toBe('5')
    last().accept()
    await timers.advance(0)
    last().send({ type: 'stream.reset', properties: { oldest: 50, latest: 51 } })
    last().send(numbered(50), 50)
    last().send(numbered(51), 51)
    await timers.advance(16)
    expect(gaps).toEqual([0])
    expect(types()).toEqual(['stream.reset', 'e50', 'e51'])
    expect(client.connections).toHaveLength(1)
  })

  test('a number that a heartbeat promised and that does not come is a gap', async () => {
    const { timers, last, client } = start(true, { after: 5 })
    last().accept()
    await timers.advance(0)
    const heartbeat = { type: 'heartbeat', properties: { latest: 7 } }
    last().send(numbered(6), 6)
    last().send(heartbeat)
    last().send(numbered(7), 7)
    last().send(heartbeat)
    last().send({ type: 'heartbeat', properties: { latest: 9 } })
    await timers.advance(16)
    expect(client.connections).toHaveLength(1)
    last().send({ type: 'heartbeat', properties: { latest: 9 } })
    await timers.advance(250)
    expect(last().lastEventId).toBe('7')
    expect(client.connections).toHaveLength(2)
  })
})

describe('a runtime’s own stream', () => {
  test.each([
    [5000, []],
    [5001, [5001]],
  ])('%s ms without activity at reconnect time reports %j', async (silentMs, expected) => {
    const { timers, last, gaps } = start(false)
    last().accept()
    await timers.advance(0)
    last().send({ type: 'a' })
    await timers.advance(16)
    last().end()
    await timers.advance(250)
    await timers.advance(silentMs - 266)
    last().accept()
    await timers.advance(0)
    expect(gaps).toEqual(expected)
  })
})

describe('silence and failure', () => {
  test('45 s without any frame reconnects; a comment counts as a frame', async () => {
    const { timers, last, client } = start(false)
    last().accept()
    await timers.advance(0)
    last().send({ type: 'a' })
    await timers.advance(44_000)
    last().sendRaw(': ping\n\n')
    await timers.advance(44_999)
    expect(client.connections[0]?.signal.aborted).toBe(false)
    await timers.advance(1)
    expect(client.connections[0]?.signal.aborted).toBe(true)
    await timers.advance(250)
    expect(client.connections).toHaveLength(2)
  })

  test('a connect without an answer in 20 s counts as failed', async () => {
    const { timers, client } = start(false)
    await timers.advance(19_999)
    expect(client.connections[0]?.signal.aborted).toBe(false)
    await timers.advance(1)
    expect(client.connections[0]?.signal.aborted).toBe(true)
    await timers.advance(1000)
    expect(client.connections).toHaveLength(2)
  })

  test('attempts without an event wait 1, 2, 4, 8, 16, then 30 seconds; eight hard ones park the stream', async () => {
    const { timers, last, client, parked } = start(false)
    for (const [at, waitMs] of [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000].entries()) {
      last().fail(new Error(`no ${at}`))
      await timers.advance(waitMs - 1)
      expect(client.connections).toHaveLength(at + 1)
      await timers.advance(1)
      expect(client.connections).toHaveLength(at + 2)
    }
    last().fail(new Error('no 7'))
    await timers.advance(120_000)
    expect(client.connections).toHaveLength(8)
    expect(parked).toMatchObject([{ consecutiveFailures: 8, lastError: { message: 'no 7' } }])
  })

  test('an event ends the row of failures', async () => {
    const { timers, last, client, parked } = start(false, { maxConsecutiveHardFailures: 2 })
    last().fail(new Error('no'))
    await timers.advance(1000)
    last().accept()
    await timers.advance(0)
    last().send({ type: 'a' })
    last().end()
    await timers.advance(250)
    last().fail(new Error('no'))
    await timers.advance(1000)
    expect(client.connections).toHaveLength(4)
    expect(parked).toEqual([])
  })

  test('a long quiet connection is not a hard failure', async () => {
    const { timers, last, parked } = start(false, { maxConsecutiveHardFailures: 1 })
    last().accept()
    await timers.advance(2000)
    last().end()
    await timers.advance(1000)
    expect(parked).toEqual([])
    last().accept(500)
    await timers.advance(0)
    expect(parked).toHaveLength(1)
  })

  test.each([401, 403])('%s asks for a new token before the next attempt', async (status) => {
    const { timers, last, client } = start(true)
    last().accept(status)
    await timers.advance(0)
    expect(client.refreshes).toBe(1)
    await timers.advance(1000)
    expect(client.connections).toHaveLength(2)
  })

  test('a parked client can be opened again', async () => {
    const { timers, last, client } = start(false, { maxConsecutiveHardFailures: 1 })
    last().fail(new Error('no'))
    await timers.advance(0)
    open.push(openEventStream({ client, timers, onEvent: () => undefined }))
    expect(client.connections).toHaveLength(2)
  })
})
