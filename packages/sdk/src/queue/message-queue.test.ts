import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  claimNext,
  completeInFlight,
  createSessionQueue,
  editQueued,
  enqueue,
  failInFlight,
  removeQueued,
  reorderQueued,
  retryFailed,
  type SessionQueue,
} from './message-queue.ts'

const add = (state: SessionQueue, ...ids: string[]) =>
  ids.reduce((queue, id) => enqueue(queue, { id, clientMessageId: `c-${id}`, text: `text ${id}`, createdAt: 1 }), state)
const ids = (items: SessionQueue['pending']) => items.map(({ id }) => id)
const claimed = (state: SessionQueue) => claimNext(state).state

describe('queue', () => {
  test('a prompt starts at the end without attempts', () => {
    const queue = add(createSessionQueue(), 'a', 'b')
    expect(ids(queue.pending)).toEqual(['a', 'b'])
    expect(queue.pending[0]).toMatchObject({ attempts: 0, clientMessageId: 'c-a' })
  })
  test('one prompt is in flight at a time and stays at the head', () => {
    const first = claimNext(add(createSessionQueue(), 'a', 'b'))
    expect(first.claimed).toMatchObject({ id: 'a', attempts: 1 })
    expect(first.state).toMatchObject({ inFlightId: 'a', pending: [{ id: 'a', attempts: 1 }, { id: 'b' }] })
    expect(claimNext(first.state)).toEqual({ state: first.state })
    expect(claimNext(createSessionQueue())).toEqual({ state: createSessionQueue() })
  })
  test('completing removes it, failing moves it aside and the next can go', () => {
    const queue = claimed(add(createSessionQueue(), 'a', 'b'))
    expect(ids(completeInFlight(queue).pending)).toEqual(['b'])
    const failed = failInFlight(queue, 'no network')
    expect(failed).toMatchObject({ inFlightId: null, failed: [{ id: 'a', lastError: 'no network', attempts: 1 }] })
    expect(claimNext(failed).claimed?.id).toBe('b')
  })
  test('several in flight end together', () => {
    const queue: SessionQueue = {
      ...add(createSessionQueue(), 'a', 'b', 'c'),
      inFlightId: 'a',
      inFlightIds: ['a', 'b'],
    }
    expect(claimNext(queue)).toEqual({ state: queue })
    expect(ids(completeInFlight(queue).pending)).toEqual(['c'])
    expect(ids(failInFlight(queue, 'x').failed)).toEqual(['a', 'b'])
    expect(ids(reorderQueued(add(queue, 'd'), 'd', 0).pending)).toEqual(['a', 'b', 'd', 'c'])
  })
  test('a retry goes to the end, keeps its attempts and forgets its error', () => {
    const failed = failInFlight(claimed(add(createSessionQueue(), 'a', 'b')), 'x')
    const again = retryFailed(failed, 'a')
    expect(again.failed).toEqual([])
    expect(ids(again.pending)).toEqual(['b', 'a'])
    expect(again.pending[1]).toMatchObject({ attempts: 1 })
    expect(again.pending[1]).not.toHaveProperty('lastError')
    expect(retryFailed(failed, 'unknown')).toBe(failed)
  })
  test('what is in flight cannot be removed, edited or moved', () => {
    const queue = claimed(add(createSessionQueue(), 'a', 'b'))
    expect(removeQueued(queue, 'a')).toBe(queue)
    expect(editQueued(queue, 'a', 'x')).toBe(queue)
    expect(reorderQueued(queue, 'a', 1)).toBe(queue)
  })
  test('what waits can be removed, edited and moved behind what is in flight', () => {
    const queue = claimed(add(createSessionQueue(), 'a', 'b', 'c', 'd'))
    expect(ids(removeQueued(queue, 'c').pending)).toEqual(['a', 'b', 'd'])
    expect(editQueued(queue, 'b', 'new').pending[1]).toMatchObject({ text: 'new' })
    expect(ids(reorderQueued(queue, 'd', 0).pending)).toEqual(['a', 'd', 'b', 'c'])
    expect(ids(reorderQueued(queue, 'b', 99).pending)).toEqual(['a', 'c', 'd', 'b'])
    expect(reorderQueued(queue, 'b', Number.NaN)).toBe(queue)
    expect(ids(removeQueued(failInFlight(queue, 'x'), 'a').failed)).toEqual([])
  })
})

test('whatever happens, a prompt is in the queue once or was completed or removed, and the state before is untouched', () => {
  const step = fc.tuple(fc.constantFrom('add', 'claim', 'done', 'fail', 'retry', 'remove', 'move'), fc.nat({ max: 9 }))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      let queue = createSessionQueue()
      let next = 0
      for (const [name, n] of steps) {
        const before = JSON.stringify(queue)
        const known = [...queue.pending, ...queue.failed][n]?.id ?? 'none'
        const previous = queue
        if (name === 'add') queue = add(queue, String(next++))
        if (name === 'claim') queue = claimed(queue)
        if (name === 'done') queue = completeInFlight(queue)
        if (name === 'fail') queue = failInFlight(queue, 'x')
        if (name === 'retry') queue = retryFailed(queue, known)
        if (name === 'remove') queue = removeQueued(queue, known)
        if (name === 'move') queue = reorderQueued(queue, known, n)
        expect(JSON.stringify(previous)).toBe(before)
        const all = [...ids(queue.pending), ...ids(queue.failed)]
        expect(new Set(all).size).toBe(all.length)
        if (queue.inFlightId !== null) expect(queue.pending[0]?.id).toBe(queue.inFlightId)
      }
    }),
  )
})
