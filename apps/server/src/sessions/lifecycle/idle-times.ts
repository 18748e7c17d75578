const minuteMs = 60_000
const hourMs = 60 * minuteMs

const afterTurnMs = 15 * minuteMs
/** A session that another session started. */
const afterSpawnedTurnMs = 2 * minuteMs
const duringTurnMs = 4 * hourMs
const previewMs = 30 * minuteMs
/** Whatever else happens, without a turn a machine is parked after this long. */
const withoutTurnMs = 24 * hourMs

/** When a machine is parked after a turn, or after it became ready. */
export function idleAfterTurn(now: Date, isSpawned: boolean): Date {
  return new Date(now.getTime() + (isSpawned ? afterSpawnedTurnMs : afterTurnMs))
}

export function idleDuringTurn(now: Date): Date {
  return new Date(now.getTime() + duringTurnMs)
}

/** Preview traffic and other use keep a machine up for a while, but not for ever. */
export function idleAfterUse(now: Date, lastTurnAt: Date | null, readyAt: Date | null): Date {
  const since = Math.max(lastTurnAt?.getTime() ?? 0, readyAt?.getTime() ?? 0) || now.getTime()
  return new Date(Math.min(now.getTime() + previewMs, since + withoutTurnMs))
}
