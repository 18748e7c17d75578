export { cleanScheduleSlots, defineSchedule, fireDueSlots, registerSchedules, type Schedule } from './schedule.ts'
export { coalesceSlots, nextSlot, type Slots } from './slots.ts'
