import { Cron } from 'croner'

export interface Slots {
  /** The slot to fire: the latest that is due. Earlier ones it stands for are counted in `missed`. */
  slotAt: Date
  missed: number
  /** The first slot after now. Null when the pattern never matches again. */
  nextAt: Date | null
}

/** Slots counted one by one; after a longer downtime `missed` stops here and the latest slot is looked up backwards. */
const MAX_COUNTED = 1_000

/** The first slot strictly after a time, in the schedule's time zone. */
export function nextSlot(cron: string, timeZone: string, after: Date): Date | null {
  return pattern(cron, timeZone).nextRun(after)
}

/** What to do at `now` with a schedule whose oldest open slot is `dueAt`. */
export function coalesceSlots(cron: string, timeZone: string, dueAt: Date, now: Date): Slots {
  const parsed = pattern(cron, timeZone)
  let slotAt = dueAt
  let missed = 0
  for (let next = parsed.nextRun(dueAt); next && next <= now; next = parsed.nextRun(next)) {
    slotAt = next
    missed += 1
    if (missed < MAX_COUNTED) continue
    slotAt = parsed.previousRuns(1, new Date(now.getTime() + 1_000)).find((slot) => slot <= now) ?? slotAt
    break
  }
  return { slotAt, missed, nextAt: parsed.nextRun(now > slotAt ? now : slotAt) }
}

function pattern(cron: string, timeZone: string): Cron {
  return new Cron(cron, { timezone: timeZone, paused: true })
}
