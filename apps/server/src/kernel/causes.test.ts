import { expect, test } from 'vitest'
import { causesOf } from './causes.ts'

test('an error and its causes are told from the outside in, up to what is no error', () => {
  const inner = new Error('inner', { cause: 'a text' })
  const outer = new Error('outer', { cause: inner })
  expect(causesOf(outer)).toEqual([outer, inner])
  expect(causesOf('a text')).toEqual([])
})

test('causes that form a circle come to an end', () => {
  const inner = new Error('inner')
  const outer = new Error('outer', { cause: inner })
  inner.cause = outer
  expect(causesOf(outer)).toEqual([outer, inner])
})
