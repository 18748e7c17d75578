export interface RateRule {
  /** Names the rule across every process; two rules with one name share their counts. */
  name: string
  /** Calls allowed in one window. */
  limit: number
  /** The window of a key starts with its first call and has this length. */
  windowMs: number
}

export interface Take {
  allowed: boolean
  /** Calls left in this window. */
  remaining: number
  resetAt: Date
  /** Whole seconds until the window ends, at least 1 when refused; 0 when allowed. For `Retry-After`. */
  retryAfterSeconds: number
}
