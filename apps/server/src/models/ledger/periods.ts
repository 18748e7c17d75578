import type { Budget } from '../resolve.ts'

/** The beginning of the calendar period that a time lies in, in UTC; weeks begin on Monday. */
export function periodStart(period: Budget['period'], at: Date): Date {
  const day = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()))
  if (period === 'day') return day
  if (period === 'month') return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1))
  const sinceMonday = (day.getUTCDay() + 6) % 7
  return new Date(day.getTime() - sinceMonday * 86_400_000)
}
