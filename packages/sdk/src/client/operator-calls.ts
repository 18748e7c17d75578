import type { Body, Query, Result } from './call-types.ts'

/** `svc.operator`: the instance as whoever runs it sees it. */
export interface OperatorCalls {
  health(): Result<'operator.health'>
  mailbox(): Result<'operator.mailbox'>
  readonly jobs: {
    list(): Result<'operator.jobs.list'>
    dead(page?: Query<'operator.jobs.dead'>): Result<'operator.jobs.dead'>
    retry(jobId: string): Result<'operator.jobs.retry'>
    discard(jobId: string): Result<'operator.jobs.discard'>
  }
  readonly settings: {
    get(): Result<'operator.settings.get'>
    update(input: Body<'operator.settings.update'>): Result<'operator.settings.update'>
  }
  readonly sandboxes: {
    list(page?: Query<'operator.sandboxes.list'>): Result<'operator.sandboxes.list'>
    /** Parks its session, ends it and removes its disk. */
    destroy(sandboxId: string): Result<'operator.sandboxes.destroy'>
  }
  readonly users: {
    list(filter?: Query<'operator.users.list'>): Result<'operator.users.list'>
  }
  readonly catalog: {
    get(): Result<'operator.catalog.get'>
    /** Fetches limits and prices of models anew. */
    refresh(): Result<'operator.catalog.refresh'>
  }
}
