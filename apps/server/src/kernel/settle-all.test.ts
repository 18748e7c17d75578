import { expect, test } from 'vitest'
import { settleAll } from './settle-all.ts'

test('every step has ended when one that failed is told, and of several the first of the list', async () => {
  let hasEnded = false
  const slow = new Promise((_, reject) =>
    setImmediate(() => setImmediate(() => reject(new Error('the first')))),
  ).finally(() => {
    hasEnded = true
  })
  await expect(settleAll([slow, Promise.reject(new Error('the second'))])).rejects.toThrow('the first')
  expect(hasEnded).toBe(true)
})

test('without a failure each step’s result is at its place', async () => {
  expect(await settleAll([Promise.resolve(1), undefined, Promise.resolve('two')])).toEqual([1, undefined, 'two'])
})
