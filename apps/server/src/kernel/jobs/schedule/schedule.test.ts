import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { connectDatabase, type Database } from '../../database/index.ts'
import { createTestDatabase } from '../../database/testing.ts'
import { defineJob } from '../define-job.ts'
import {
  cleanScheduleSlots,
  coalesceSlots,
  defineSchedule,
  fireDueSlots,
  nextSlot,
  registerSchedules,
} from './index.ts'

let database: Database
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  await database.sql`truncate svc.schedules, svc.schedule_slots`
  await database.sql`delete from graphile_worker._private_jobs`
})

const job = defineJob({ name: 'clean', payload: z.object({}), run: async () => undefined })
const minutely = defineSchedule({ name: 'minutely', cron: '* * * * *', job, payload: {} })
const at = (text: string) => new Date(text)

async function countEnqueued(): Promise<number> {
  const [row] = await database.sql`select count(*)::int as n from graphile_worker.jobs`
  return Number(row?.n)
}

test('a slot fires once, at its time, whichever of four nodes is first', async () => {
  const nodes = Array.from({ length: 4 }, () => connectDatabase(database.connection, { maxConnections: 2 }))
  await Promise.all(nodes.map((node) => registerSchedules(node.sql, [minutely], at('2026-03-01T00:00:30Z'))))
  const rounds = 20
  for (let round = 0; round < rounds; round++) {
    const early = new Date(at('2026-03-01T00:00:59.999Z').getTime() + round * 60_000)
    expect(await fireDueSlots(database.sql, [minutely], early)).toBe(0)
    const due = new Date(early.getTime() + 1)
    const fired = await Promise.all([...nodes, ...nodes].map((node) => fireDueSlots(node.sql, [minutely], due)))
    expect(fired.reduce((sum, n) => sum + n, 0)).toBe(1)
  }
  await Promise.all(nodes.map((node) => node.disconnect()))
  expect(await countEnqueued()).toBe(rounds)
  const slots = await database.sql`select slot_at as at, missed from svc.schedule_slots order by slot_at`
  expect(slots.map((slot) => slot.at.toISOString()).slice(0, 2)).toEqual([
    '2026-03-01T00:01:00.000Z',
    '2026-03-01T00:02:00.000Z',
  ])
  expect(slots.every((slot) => slot.missed === 0)).toBe(true)
})

test('slots missed during three hours of downtime become one run, and the next fires at its time', async () => {
  await registerSchedules(database.sql, [minutely], at('2026-03-01T00:00:30Z'))
  expect(await fireDueSlots(database.sql, [minutely], at('2026-03-01T03:00:30Z'))).toBe(1)
  expect(await fireDueSlots(database.sql, [minutely], at('2026-03-01T03:00:59Z'))).toBe(0)
  const [slot] = await database.sql`select slot_at as at, missed from svc.schedule_slots`
  expect([slot?.at.toISOString(), slot?.missed]).toEqual(['2026-03-01T03:00:00.000Z', 179])
  expect(await fireDueSlots(database.sql, [minutely], at('2026-03-01T03:01:00Z'))).toBe(1)
})

test('a clock that steps back fires no slot a second time', async () => {
  await registerSchedules(database.sql, [minutely], at('2026-03-01T00:00:30Z'))
  expect(await fireDueSlots(database.sql, [minutely], at('2026-03-01T00:01:10Z'))).toBe(1)
  await registerSchedules(database.sql, [minutely], at('2026-03-01T00:00:30Z'))
  expect(await fireDueSlots(database.sql, [minutely], at('2026-03-01T00:01:05Z'))).toBe(0)
  await database.sql`update svc.schedules set next_slot_at = ${at('2026-03-01T00:01:00Z')}`
  expect(await fireDueSlots(database.sql, [minutely], at('2026-03-01T00:01:05Z'))).toBe(0)
  expect(await countEnqueued()).toBe(1)
})

test('a changed pattern starts anew, an unchanged one keeps its open slot across a restart', async () => {
  await registerSchedules(database.sql, [minutely], at('2026-03-01T00:00:30Z'))
  await registerSchedules(database.sql, [minutely], at('2026-03-01T05:00:30Z'))
  expect(await fireDueSlots(database.sql, [minutely], at('2026-03-01T05:00:30Z'))).toBe(1)
  const hourly = defineSchedule({ name: 'minutely', cron: '0 * * * *', job, payload: {} })
  await registerSchedules(database.sql, [hourly], at('2026-03-01T05:00:30Z'))
  expect(await fireDueSlots(database.sql, [hourly], at('2026-03-01T05:59:59Z'))).toBe(0)
  expect(await fireDueSlots(database.sql, [hourly], at('2026-03-01T06:00:00Z'))).toBe(1)
})

test('old slots are cleaned, recent ones stay', async () => {
  await registerSchedules(database.sql, [minutely], at('2026-03-01T00:00:30Z'))
  await fireDueSlots(database.sql, [minutely], at('2026-03-01T00:01:00Z'))
  expect(await cleanScheduleSlots(database.sql)).toEqual({ deleted: 0 })
  expect(await cleanScheduleSlots(database.sql, -1_000)).toEqual({ deleted: 1 })
})

describe('slots in a time zone', () => {
  test('a daily time that the clock skips or repeats fires once that day', () => {
    const list = (from: string, cron: string, count: number) => {
      const slots: string[] = []
      for (
        let slot = nextSlot(cron, 'Europe/Berlin', at(from));
        slot && slots.length < count;
        slot = nextSlot(cron, 'Europe/Berlin', slot)
      ) {
        slots.push(slot.toISOString())
      }
      return slots
    }
    const spring = list('2026-03-28T12:00:00Z', '30 2 * * *', 3).map((slot) => slot.slice(0, 10))
    expect(new Set(spring).size).toBe(3)
    const autumn = list('2026-10-24T12:00:00Z', '30 2 * * *', 3).map((slot) => slot.slice(0, 10))
    expect(autumn).toEqual(['2026-10-25', '2026-10-26', '2026-10-27'])
  })

  test('a downtime of a year coalesces to the latest slot', () => {
    const slots = coalesceSlots('* * * * *', 'UTC', at('2025-01-01T00:00:00Z'), at('2026-01-01T00:00:30Z'))
    expect([slots.slotAt.toISOString(), slots.nextAt?.toISOString()]).toEqual([
      '2026-01-01T00:00:00.000Z',
      '2026-01-01T00:01:00.000Z',
    ])
  })

  test('a pattern that never matches is refused when it is defined', () => {
    expect(() => defineSchedule({ name: 'never', cron: '0 0 30 2 *', job, payload: {} })).toThrow(/never fires/)
  })
})
