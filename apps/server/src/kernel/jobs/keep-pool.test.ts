import { expect, test } from 'vitest'
import { systemClock } from '../clock/index.ts'
import { createLogger, createMemoryWriter } from '../log/index.ts'
import { keepPool } from './keep-pool.ts'
import type { WorkerPool } from './worker-pool.ts'

const log = createLogger({ writer: createMemoryWriter() })
const clock = { ...systemClock, sleep: () => Promise.resolve() }

test('a stop that comes while a pool is being started again stops that pool too', async () => {
  const running = new Set<string>()
  const endFirst = createSignal()
  const opening = createSignal()
  const mayOpen = createSignal()
  let opened = 0

  async function open(): Promise<WorkerPool> {
    const id = `pool ${++opened}`
    if (opened === 2) {
      opening.resolve()
      await mayOpen.promise
    }
    running.add(id)
    const stop = async () => void running.delete(id)
    return { id, ended: opened === 1 ? endFirst.promise : new Promise(() => undefined), stop, abandon: stop }
  }

  const pool = await keepPool({ open, drainTimeoutMs: 1_000, log, clock })
  running.delete('pool 1')
  endFirst.resolve()
  await opening.promise
  const stopped = pool.stop()
  mayOpen.resolve()
  await stopped
  expect([opened, [...running]]).toEqual([2, []])
})

function createSignal(): { promise: Promise<void>; resolve(): void } {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve: () => resolve() }
}
