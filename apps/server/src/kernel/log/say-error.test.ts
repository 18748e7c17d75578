import { DrizzleQueryError, sql as raw } from 'drizzle-orm'
import { expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../database/testing.ts'
import { sayError } from './say-error.ts'

test('an error is said by its sentence, without secrets', () => {
  expect(sayError(new Error('The disk is full.'))).toBe('The disk is full.')
  expect(sayError('no')).toBe('no')
  expect(sayError(new Error('GET https://ada:geheim12345@example.com failed'))).not.toContain('geheim12345')
  expect(sayError(new Error('x'.repeat(5_000))).length).toBeLessThan(2_100)
})

test('nothing of a query that failed is said, through either pool and under other errors', async () => {
  const { db, sql, close } = await createTestDatabase()
  onTestFinished(close)
  const value = 'what somebody wrote'
  const errors = [
    await db.execute(raw`select ${value}::uuid`).catch((error: unknown) => error),
    await sql`select ${value}::text::uuid`.catch((error: unknown) => error),
  ]
  expect(errors[0]).toBeInstanceOf(DrizzleQueryError)
  for (const error of errors) {
    expect(String(error instanceof Error && [error.message, error.cause])).toContain(value)
    expect(sayError(error)).toBe('The database failed. The log of the server tells why.')
    expect(sayError(new Error(`wrapped: ${error}`, { cause: error }))).not.toContain(value)
  }
})
