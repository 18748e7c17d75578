import type { Sql } from 'postgres'
import type { JobDefinition, RunnableJob } from '../define-job.ts'
import { enqueueJob } from '../enqueue.ts'
import { coalesceSlots, nextSlot } from './slots.ts'

/** A job of the platform that recurs. */
export interface Schedule {
  readonly name: string
  readonly cron: string
  readonly timeZone: string
  readonly job: RunnableJob
  readonly payload: unknown
}

export function defineSchedule<Payload>(input: {
  name: string
  /** Five fields, or six with seconds in front. */
  cron: string
  timeZone?: string
  job: JobDefinition<Payload>
  payload: Payload
}): Schedule {
  const { timeZone = 'UTC', ...rest } = input
  if (!nextSlot(input.cron, timeZone, new Date(0))) throw new Error(`The schedule ${input.name} never fires.`)
  return { ...rest, timeZone }
}

/** Makes the schedules known. A changed pattern starts anew from now; an unchanged one keeps its open slot. */
export async function registerSchedules(sql: Sql, schedules: readonly Schedule[], now: Date): Promise<void> {
  for (const { name, cron, timeZone } of schedules) {
    const nextAt = nextSlot(cron, timeZone, now)
    if (!nextAt) continue
    await sql`
      insert into svc.schedules as known (name, cron, time_zone, next_slot_at)
      values (${name}, ${cron}, ${timeZone}, ${nextAt})
      on conflict (name) do update set cron = excluded.cron, time_zone = excluded.time_zone,
        next_slot_at = excluded.next_slot_at
      where known.cron <> excluded.cron or known.time_zone <> excluded.time_zone`
  }
}

/**
 * Enqueues the job of every schedule with a due slot. Slot, job and next slot are one transaction, and a slot has one
 * row: two nodes never fire one slot twice, and a crash between them is impossible. Slots missed while no node ran
 * become one run.
 */
export async function fireDueSlots(sql: Sql, schedules: readonly Schedule[], now: Date): Promise<number> {
  if (schedules.length === 0) return 0
  const names = schedules.map((schedule) => schedule.name)
  const [due] = await sql`select from svc.schedules where name = any(${names}) and next_slot_at <= ${now} limit 1`
  if (!due) return 0
  return sql.begin(async (tx) => {
    const rows = await tx<Array<{ name: string; dueAt: Date }>>`
      select name, next_slot_at as "dueAt" from svc.schedules
      where name = any(${names}) and next_slot_at <= ${now} order by name for update skip locked`
    let fired = 0
    for (const { name, dueAt } of rows) {
      const schedule = schedules.find((one) => one.name === name)
      if (!schedule) continue
      const { slotAt, missed, nextAt } = coalesceSlots(schedule.cron, schedule.timeZone, dueAt, now)
      const slot = await tx`
        insert into svc.schedule_slots (name, slot_at, missed) values (${name}, ${slotAt}, ${missed})
        on conflict (name, slot_at) do nothing`
      if (slot.count === 1) {
        await enqueueJob(tx, { name: schedule.job.name }, schedule.payload)
        fired += 1
      }
      await tx`update svc.schedules set next_slot_at = ${nextAt ?? 'infinity'}::timestamptz where name = ${name}`
    }
    return fired
  })
}

/** Deletes the record of slots that fired long ago. */
export async function cleanScheduleSlots(sql: Sql, olderThanMs = 30 * 86_400_000): Promise<{ deleted: number }> {
  const result = await sql`
    delete from svc.schedule_slots where fired_at < now() - ${olderThanMs}::float8 * interval '1 millisecond'`
  return { deleted: result.count }
}
