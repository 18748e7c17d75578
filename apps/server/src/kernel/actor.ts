export type ActorType = 'human' | 'agent' | 'service_account' | 'system' | 'anonymous'

/** Where an action came from, as the server derived it from the credential; never what a client says about itself. */
export type ActorSource = 'human' | 'agent' | 'automation' | 'api_key' | 'api' | 'connector' | 'llm_gateway'

/** Who does something, and the request it belongs to. Every transaction carries one; the audit row is filled from it. */
export interface Actor {
  readonly type: ActorType
  readonly userId?: string
  readonly accountId?: string
  readonly projectId?: string
  readonly sessionId?: string
  readonly agentId?: string
  readonly agentName?: string
  readonly initiatorType?: ActorType
  readonly initiatorId?: string
  readonly requestId?: string
  readonly traceId?: string
  readonly correlationId?: string
  readonly source?: ActorSource
  readonly clientReportedSource?: string
  readonly ip?: string
  readonly userAgent?: string
}

/** The platform itself: migrations, schedules, repairs at start. */
export const systemActor: Actor = { type: 'system' }
