import { afterAll, beforeAll, expect, test } from 'vitest'
import { createFakeClock } from '../../kernel/clock/index.ts'
import type { Parts } from '../parts.ts'
import { endOpenTurn, noteForeignTurn } from '../prompts/turns.ts'
import { type SessionRig, startSessionRig } from '../testing/session-rig.ts'
import { firstAnswerMs, isAtWork, openAdmission } from './at-work.ts'

const clock = createFakeClock(Date.UTC(2026, 0, 1))
let rig: SessionRig
let parts: Parts
beforeAll(async () => {
  rig = await startSessionRig()
  parts = { ...rig.parts, kernel: { ...rig.kernel, clock } }
})
afterAll(() => rig?.stop())

test('a prompt that went past the queue keeps other agents out from its admission to the end of its turn', async () => {
  const running = await rig.addRunning()
  expect(await isAtWork(parts, running)).toBe(false)
  const admission = openAdmission(parts, running)
  expect(await isAtWork(parts, running)).toBe(true)
  admission.end(true)
  // The runtime has it and has not said so yet.
  expect(await isAtWork(parts, running)).toBe(true)
  await clock.advance(100)
  await noteForeignTurn(parts, running.row, undefined)
  expect(await isAtWork(parts, running)).toBe(true)
  await endOpenTurn(parts, running.row, 'completed')
  expect(await isAtWork(parts, running)).toBe(false)
})

test('a reader who takes the answer slowly keeps nobody out once its turn has ended', async () => {
  const running = await rig.addRunning()
  openAdmission(parts, running)
  await clock.advance(100)
  await noteForeignTurn(parts, running.row, undefined)
  await endOpenTurn(parts, running.row, 'completed')
  expect(await isAtWork(parts, running)).toBe(false)
})

test('one that the runtime refused keeps nobody out, and one that never became a turn not for long', async () => {
  const running = await rig.addRunning()
  openAdmission(parts, running).end(false)
  expect(await isAtWork(parts, running)).toBe(false)
  openAdmission(parts, running).end(true)
  expect(await isAtWork(parts, running)).toBe(true)
  await clock.advance(firstAnswerMs)
  expect(await isAtWork(parts, running)).toBe(false)
  expect(running.admitted.size).toBe(0)
})

test('a turn of the queue is kept out by others, not by itself', async () => {
  const running = await rig.addRunning()
  await noteForeignTurn(parts, running.row, undefined)
  const { sql } = rig.kernel.database
  const [turn] = await sql<{ token: string }[]>`
    select turn_token as token from svc.session_turns where session_id = ${running.row.sessionId}`
  expect(await isAtWork(parts, running, turn?.token)).toBe(false)
  openAdmission(parts, running)
  expect(await isAtWork(parts, running, turn?.token)).toBe(true)
})
