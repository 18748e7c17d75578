export type { Clock, Timer } from './clock.ts'
export { createFakeClock, type FakeClock } from './fake-clock.ts'
export { systemClock } from './system-clock.ts'
