import type { Permission } from '@svc/contract'
import type { Clock } from '../kernel/clock/index.ts'
import type { Tx } from '../kernel/database/index.ts'
import type { Events } from '../kernel/events/index.ts'
import type { Scope } from '../kernel/http/index.ts'
import type { Principal } from '../kernel/principal.ts'
import { accessChanged } from './access-changed.ts'
import { type Decision, decide } from './engine/decide.ts'
import type { Facts, Holdings, PrincipalType, ProjectFacts } from './engine/facts.ts'
import { createDroppableCache } from './store/droppable-cache.ts'
import type { FactsStore, Membership } from './store/load-facts.ts'

/** The facts of decisions, from this process's memory while they are known to be current. */
export interface FactsSource {
  readonly nowMs: () => number
  holdings(type: PrincipalType, id: string, accountId: string): Holdings | Promise<Holdings>
  project(projectId: string): ProjectFacts | undefined | Promise<ProjectFacts | undefined>
  /** Of a user, in the order in which accounts are listed. */
  memberships(userId: string): Membership[] | Promise<Membership[]>
  decide(principal: Principal, permission: Permission, scope: Scope): Promise<Decision>
  /** Call inside the transaction that changes assignments, groups, roles or projects: seen here at its commit. */
  noteChange(tx: Tx, accountId: string): void
  stop(): void
}

const maxPrincipals = 50_000
const anyAccount = 'any'

export function createFactsSource(store: FactsStore, clock: Clock, events: Events): FactsSource {
  const isLive = () => events.isConnected()
  const holdings = createDroppableCache<Holdings>(maxPrincipals, isLive)
  const projects = createDroppableCache<ProjectFacts | undefined>(maxPrincipals, isLive)
  const objects = createDroppableCache<number>(maxPrincipals, isLive)
  const identities = createDroppableCache<string | undefined>(maxPrincipals, isLive)
  const memberships = createDroppableCache<Membership[]>(maxPrincipals, isLive)
  const byAccount = [holdings, projects, objects, identities]

  function drop(accountId: string): void {
    for (const cache of byAccount) cache.drop(accountId)
    memberships.drop(anyAccount)
  }
  function dropAll(): void {
    for (const cache of byAccount) cache.dropAll()
    memberships.dropAll()
  }
  const stop = events.subscribe(accessChanged, ({ account_id }) => drop(account_id), { onGap: dropAll })

  const source: FactsSource = {
    nowMs: () => clock.nowMs(),
    holdings: (type, id, accountId) =>
      holdings.get(
        `${type} ${id} ${accountId}`,
        () => accountId,
        () => store.loadHoldings(type, id, accountId),
      ),
    project: (projectId) =>
      projects.get(
        projectId,
        // A project that does not exist may be made at any time: never kept.
        (project) => project?.accountId,
        () => store.loadProject(projectId),
      ),
    memberships: (userId) =>
      memberships.get(
        userId,
        () => anyAccount,
        () => store.loadMemberships(userId),
      ),
    async decide(principal, permission, scope) {
      const facts = await gather(principal, scope)
      return decide(facts, principal, permission, scope)
    },
    noteChange(tx, accountId) {
      tx.afterCommit(() => drop(accountId))
    },
    stop,
  }

  async function gather(principal: Principal, { accountId, projectId, object }: Scope): Promise<Facts> {
    const found = projectId === undefined ? undefined : source.project(projectId)
    const project = found instanceof Promise ? await found : found
    const account = project?.accountId ?? accountId ?? ''
    const held =
      account === '' || principal.id === '' ? nothingHeld : source.holdings(typeOf(principal), principal.id, account)
    return {
      nowMs: clock.nowMs(),
      accountId: account,
      project,
      own: held instanceof Promise ? await held : held,
      agentIdentity: await gatherIdentity(principal, project),
      objectNamedUntilMs:
        object && project
          ? await objects.get(
              `${project.projectId} ${object.type} ${object.id}`,
              () => project.accountId,
              () => store.loadObjectNamedUntil(project.projectId, object.type, object.id),
            )
          : Number.NEGATIVE_INFINITY,
    }
  }

  async function gatherIdentity({ agentGrant }: Principal, project: ProjectFacts | undefined) {
    if (!agentGrant || !project) return undefined
    const id = await identities.get(
      `${project.projectId} ${agentGrant.agent}`,
      () => project.accountId,
      () => store.loadAgentIdentity(project.projectId, agentGrant.agent),
    )
    return id === undefined ? undefined : source.holdings('service_account', id, project.accountId)
  }

  return source
}

const nothingHeld: Holdings = {
  type: 'user',
  id: '',
  usableUntilMs: Number.POSITIVE_INFINITY,
  atAccount: [],
  byProject: new Map(),
  byObject: new Map(),
}

function typeOf({ kind }: Principal): PrincipalType {
  return kind === 'service_account' ? 'service_account' : 'user'
}
