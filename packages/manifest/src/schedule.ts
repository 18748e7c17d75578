import { Cron } from 'croner'

const CACHE_ENTRIES = 512
const cronProblems = new Map<string, string | null>()
const knownZones = new Map<string, boolean>()

/** Why a text is no cron expression (six fields, seconds first, or five), or null when it is one. */
export function findCronProblem(expression: string): string | null {
  return remember(cronProblems, expression, () => parseCron(expression))
}

/** True for names of the IANA time zone database; a bare offset such as `+02:00` is not one. */
export function isTimeZone(name: string): boolean {
  return remember(knownZones, name, () => {
    if (!/^[A-Za-z]/.test(name) || name.length > 64) return false
    try {
      return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
    } catch {
      // The engine refuses a zone only by throwing.
      return false
    }
  })
}

const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(?:Z|[+-](\d{2})(?::?(\d{2}))?)?$/

/** An ISO-8601 date-time of a day that exists. Without an offset it is read in the trigger's time zone. */
export function isDateTime(value: string): boolean {
  const match = DATE_TIME.exec(value)
  if (match === null) return false
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, offsetHour = 0, offsetMinute = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0))
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return false
  const date = new Date(Date.UTC(2000, month - 1, day))
  date.setUTCFullYear(year, month - 1, day)
  return month >= 1 && month <= 12 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400 } as const

/** Seconds of a duration such as `5m`; undefined for anything else. */
export function durationSeconds(value: unknown): number | undefined {
  if (typeof value !== 'string') return undefined
  const match = /^([1-9][0-9]*)([smhd])$/.exec(value)
  const unit = match?.[2]
  if (unit !== 's' && unit !== 'm' && unit !== 'h' && unit !== 'd') return undefined
  return Number(match?.[1]) * SECONDS[unit]
}

function parseCron(expression: string): string | null {
  const trimmed = expression.trim()
  if (trimmed.length > 512) return 'it is longer than 512 characters'
  const fields = trimmed.split(/\s+/).length
  if (!trimmed.startsWith('@') && fields !== 5 && fields !== 6)
    return `it has ${fields} field${fields === 1 ? '' : 's'}`
  try {
    new Cron(trimmed, { paused: true, mode: '5-or-6-parts' }).stop()
    return null
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^CronPattern: /, '') : String(error)
  }
}

function remember<Value>(cache: Map<string, Value>, key: string, compute: () => Value): Value {
  const known = cache.get(key)
  if (known !== undefined) return known
  const value = compute()
  if (key.length > 512) return value
  if (cache.size >= CACHE_ENTRIES) cache.clear()
  cache.set(key, value)
  return value
}
