/** What a decision is made from. Loaded by index for one principal, never by walking an account. */

export type PrincipalType = 'user' | 'service_account'
export type AccountRole = 'owner' | 'admin' | 'member'

/** One assignment of the principal's own or of one of its groups. */
export interface Held {
  readonly assignmentId: string
  /** The group it came through; undefined for a direct one. */
  readonly groupId: string | undefined
  readonly roleKey: string
  readonly isSystem: boolean
  /** Set for a system role of an account at account scope: a membership. */
  readonly accountRole: AccountRole | undefined
  readonly actions: ReadonlySet<string>
  /** Infinity when it never expires. Compared with the clock at every decision, so an expiry needs no event. */
  readonly expiresAtMs: number
}

/** All that one principal holds in one account, strongest first in every list. */
export interface Holdings {
  readonly type: PrincipalType
  readonly id: string
  /** -Infinity for a service account that is disabled or gone. */
  readonly usableUntilMs: number
  readonly atAccount: readonly Held[]
  readonly byProject: ReadonlyMap<string, readonly Held[]>
  /** Keyed by `objectKey`. These name the principal on an object and carry no permission. */
  readonly byObject: ReadonlyMap<string, readonly Held[]>
}

export interface ProjectFacts {
  readonly projectId: string
  readonly accountId: string
  readonly isActive: boolean
}

export type ObjectType = 'agent' | 'skill' | 'secret' | 'app' | 'trigger'

export interface Facts {
  readonly nowMs: number
  readonly accountId: string
  /** Undefined when the decision is about an account, or when there is no such project. */
  readonly project: ProjectFacts | undefined
  /** Of the principal behind the credential. */
  readonly own: Holdings
  /** Of the service account of the agent whose session asks, when it has one. */
  readonly agentIdentity: Holdings | undefined
  /** Until when some assignment names the object in question; -Infinity when none does. */
  readonly objectNamedUntilMs: number
}

export function objectKey(projectId: string, type: ObjectType, id: string): string {
  return `${projectId} ${type} ${id}`
}

export function isActive(held: Held, nowMs: number): boolean {
  return held.expiresAtMs > nowMs
}

/** The account role that counts, when several are held. */
export function accountRoleOf(holdings: Holdings, nowMs: number): Held | undefined {
  return holdings.atAccount.find((held) => held.accountRole !== undefined && isActive(held, nowMs))
}

/** Whether any role is assigned: naming somebody on an object gives them none. */
export function hasAnyRole(holdings: Holdings, nowMs: number): boolean {
  if (holdings.atAccount.some((held) => isActive(held, nowMs))) return true
  for (const list of holdings.byProject.values()) {
    if (list.some((held) => isActive(held, nowMs))) return true
  }
  return false
}
