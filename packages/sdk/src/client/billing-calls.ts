import type { Query, Result } from './call-types.ts'

/** Which sessions, of the account or of one project. */
export interface SessionCostOptions {
  readonly accountId?: string
  readonly projectId?: string
  readonly ownerId?: string
  /** ISO instants: `from` is included, `to` is not. Without them the last 30 days. */
  readonly from?: string
  readonly to?: string
  readonly sort?: Query<'billing.sessionCosts.list'>['sort']
  readonly limit?: number
  readonly offset?: number
}

/** `svc.billing` */
export interface BillingCalls {
  readonly sessionCosts: {
    /** What sessions have cost, and what was spent without one. */
    list(options?: SessionCostOptions): Result<'billing.sessionCosts.list'>
    /** The same as CSV, up to 10,000 sessions. */
    export(options?: SessionCostOptions): Promise<string>
    /** One session by model and by entry. */
    get(sessionId: string, options?: { readonly projectId?: string }): Result<'session.cost'>
  }
}
