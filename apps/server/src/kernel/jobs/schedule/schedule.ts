import type { Sql } from 'postgres'
import type { JobDefinition, RunnableJob } from '../define-job.ts'
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
 * Enqueues the job of every schedule with a due slot. Slot, job and next slot are one statement, and a slot has one
 * row: two nodes never fire one slot twice, and a crash between them is impossible. Slots missed while no node ran
 * become one run.
 */
export async function fireDueSlots(sql: Sql, schedules: readonly Schedule[], now: Date): Promise<number> {
  const names = schedules.map((schedule) => schedule.name)
  const due = await sql<Array<{ name: string; dueAt: Date }>>`
    select name, next_slot_at as "dueAt" from svc.schedules where name = any(${names}) and next_slot_at <= ${now}`
  let fired = 0
  for (const { name, dueAt } of due) {
    const schedule = schedules.find((one) => one.name === name)
    if (schedule && (await fireSlot(sql, schedule, dueAt, now))) fired += 1
  }
  return fired
}

/** The schedule moves on only from the slot that was read, so of several nodes one gets to insert it. */
async function fireSlot(sql: Sql, schedule: Schedule, dueAt: Date, now: Date): Promise<boolean> {
  const { name, cron, timeZone, job, payload } = schedule
  const { slotAt, missed, nextAt } = coalesceSlots(cron, timeZone, dueAt, now)
  const enqueued = await sql`
    with moved as (
      update svc.schedules set next_slot_at = coalesce(${nextAt}::timestamptz, 'infinity')
      where name = ${name} and next_slot_at = ${dueAt}
      returning name
    ), slot as (
      insert into svc.schedule_slots (name, slot_at, missed) select name, ${slotAt}::timestamptz, ${missed}::int from moved
      on conflict (name, slot_at) do nothing
      returning name
    )
    select added.id from slot cross join lateral graphile_worker.add_job(
      identifier => ${job.name}::text, payload => ${JSON.stringify(payload ?? null)}::text::json
    ) as added`
  return enqueued.length === 1
}

/** Deletes the record of slots that fired long ago. */
export async function cleanScheduleSlots(sql: Sql, olderThanMs = 30 * 86_400_000): Promise<{ deleted: number }> {
  const result = await sql`
    delete from svc.schedule_slots where fired_at < now() - ${olderThanMs}::float8 * interval '1 millisecond'`
  return { deleted: result.count }
}
