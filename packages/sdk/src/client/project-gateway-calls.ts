import type { Body, Query, Result } from './call-types.ts'

/** `svc.project(id).gateway`: what models were called, what they cost, and what may be spent. */
export interface ProjectGatewayCalls {
  /** Newest first. */
  logs(options?: Query<'gateway.logs'>): Result<'gateway.logs'>
  /** By its own id or by the id of the request. */
  log(logId: string): Result<'gateway.log'>
  overview(days?: number): Result<'gateway.overview'>
  series(days?: number): Result<'gateway.series'>
  breakdown(days?: number): Result<'gateway.breakdown'>
  sessions(days?: number): Result<'gateway.sessions'>
  errors(days?: number): Result<'gateway.errors'>
  budgets(): Result<'gateway.budgets'>
  setBudget(input: Body<'gateway.setBudget'>): Result<'gateway.setBudget'>
  deleteBudget(budgetId: string): Result<'gateway.deleteBudget'>
  keys(): Result<'gateway.keys'>
  /** The key is in this answer and nowhere else. */
  createKey(name: string): Result<'gateway.createKey'>
  revokeKey(keyId: string): Result<'gateway.revokeKey'>
  /** For how many days prompts and answers are kept; null when they are not. */
  retention(): Result<'gateway.retention'>
  /** With null nothing is kept, and what was kept is deleted. */
  setRetention(input: Body<'gateway.setRetention'>): Result<'gateway.setRetention'>
  /** Asks up to six models the same. */
  playground(
    prompt: string,
    models: readonly string[],
    options?: Omit<Body<'gateway.playground'>, 'prompt' | 'models'>,
  ): Result<'gateway.playground'>
  readonly routing: RoutingCalls
}

/** `svc.project(id).gateway.routing` */
export interface RoutingCalls {
  get(): Result<'gateway.routing.get'>
  set(policy: Body<'gateway.routing.set'>): Result<'gateway.routing.set'>
  reset(): Result<'gateway.routing.reset'>
  /** Which model would answer, why, and at what price; none is called. */
  preview(input: Body<'gateway.routing.preview'>): Result<'gateway.routing.preview'>
}

/** `svc.project(id).modelDefaults` */
export interface ModelDefaultCalls {
  get(): Result<'modelDefaults.get'>
  set(input: Body<'modelDefaults.set'>): Result<'modelDefaults.set'>
  clear(params: Query<'modelDefaults.clear'>): Result<'modelDefaults.clear'>
}
