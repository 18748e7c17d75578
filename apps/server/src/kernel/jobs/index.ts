export {
  defineJob,
  type JobContext,
  type JobDefinition,
  type JobInput,
  PermanentJobError,
  type RunnableJob,
} from './define-job.ts'
export { countJobs, type DeadJob, discardDeadJob, type JobCounts, listDeadJobs, retryDeadJob } from './inspect-jobs.ts'
export { createMaintenance } from './maintenance.ts'
export { coalesceSlots, defineSchedule, nextSlot, type Schedule, type Slots } from './schedule/index.ts'
export { type Jobs, type JobsOptions, startJobs } from './start-jobs.ts'
