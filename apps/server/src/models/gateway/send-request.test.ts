import { expect, test } from 'vitest'
import { bodyOf } from './send-request.ts'

async function* makePieces(count: number) {
  for (let made = 0; made < count; made++) yield Buffer.alloc(1_024)
}

test('a body made here lets everybody else have their turn, and stops where its reader asks for a pause', async () => {
  const body = bodyOf(makePieces(1_000))
  let taken = 0
  let seenByOthers = 0
  const reading = body.read(() => {
    taken += 1
  })
  setImmediate(() => {
    seenByOthers = taken
    body.pause()
    setImmediate(() => setImmediate(() => body.resume()))
  })
  await reading
  expect(seenByOthers).toBeGreaterThan(0)
  expect(seenByOthers).toBeLessThan(1_000)
  expect(taken).toBe(1_000)
})

test('a reader who leaves during a pause is not waited for', async () => {
  const body = bodyOf(makePieces(1_000))
  const reading = body.read(() => body.pause())
  setImmediate(() => body.discard())
  await expect(reading).rejects.toThrow('given up')
})
