import { permissionCatalog } from '@svc/contract'
import type { Database } from '../../kernel/database/index.ts'
import type { Scope } from '../../kernel/http/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import type { AgentGrant, Principal } from '../../kernel/principal.ts'
import type { Random } from './random.ts'
import { signedIn } from './test-access.ts'

/** A small world with everything a decision can depend on, dense enough that most rules meet. */
export interface World {
  readonly accounts: readonly string[]
  readonly projects: readonly { id: string; account: string; archived: boolean }[]
  readonly users: readonly string[]
  readonly groups: readonly { id: string; account: string; members: readonly string[] }[]
  readonly roles: readonly { id: string; account: string; scope: 'account' | 'project'; actions: readonly string[] }[]
  readonly serviceAccounts: readonly {
    id: string
    account: string
    disabled: boolean
    project: string | undefined
    agent: string | undefined
  }[]
  readonly assignments: readonly WorldAssignment[]
}

export interface WorldAssignment {
  readonly id: string
  readonly account: string
  readonly principalType: 'user' | 'group' | 'service_account' | 'pending'
  readonly principalId: string
  readonly roleId: string
  readonly project: string | null
  readonly objectType: 'agent' | 'skill' | 'secret' | 'app' | 'trigger' | null
  readonly objectId: string | null
  readonly expiresAt: Date | null
}

const agents = ['builder', 'writer'] as const
const objects = ['builder', 'writer', 'other'] as const
const objectTypes = ['agent', 'agent', 'skill', 'skill', 'secret', 'trigger', 'app'] as const
const actionNames = permissionCatalog.map((row) => String(row.action))
const projectActions = permissionCatalog.filter((row) => row.scope_type === 'project').map((row) => String(row.action))
const accountRoles = ['builtin:owner', 'builtin:admin', 'builtin:member', 'builtin:member'] as const
const projectRoles = ['builtin:manager', 'builtin:user', 'builtin:user'] as const

export function makeWorld(random: Random, now: Date): World {
  const accounts = [newId(), newId()]
  const projects = [0, 1, 2, 3].map((index) => ({
    id: newId(),
    account: accounts[index === 3 ? 1 : 0] ?? '',
    archived: index === 2,
  }))
  const users = Array.from({ length: 5 }, () => newId())
  const groups = Array.from({ length: 3 }, (_, index) => ({
    id: newId(),
    account: accounts[index === 2 ? 1 : 0] ?? '',
    members: random.some(users, 0.4),
  }))
  const roles = Array.from({ length: 5 }, () => {
    const scope = random.pick(['account', 'project'] as const)
    const from = scope === 'account' ? actionNames : projectActions
    return { id: newId(), account: random.pick(accounts), scope, actions: random.some(from, 0.25) }
  })
  const serviceAccounts = Array.from({ length: 4 }, (_, index) => {
    const home = projects[index % 2]
    const isAgent = index < 2 && home !== undefined
    return {
      id: newId(),
      account: isAgent ? home.account : random.pick(accounts),
      disabled: index > 1 && random.chance(0.3),
      project: isAgent ? home.id : undefined,
      agent: isAgent ? random.pick(agents) : undefined,
    }
  })
  const world = { accounts, projects, users, groups, roles, serviceAccounts }
  const drafts = Array.from({ length: 15 + random.below(45) }, () => makeAssignment(random, world, now))
  const unique = new Map(drafts.map((row) => [JSON.stringify({ ...row, id: 0, expiresAt: 0 }), row]))
  return { ...world, assignments: [...unique.values()] }
}

function makeAssignment(random: Random, world: Omit<World, 'assignments'>, now: Date): WorldAssignment {
  const project = random.chance(0.6) ? random.pick(world.projects) : undefined
  const account = project?.account ?? random.pick(world.accounts)
  const principals = [
    ...world.users.map((id) => ({ type: 'user' as const, id })),
    ...world.groups.filter((one) => one.account === account).map(({ id }) => ({ type: 'group' as const, id })),
    ...world.serviceAccounts
      .filter((one) => one.account === account)
      .map(({ id }) => ({ type: 'service_account' as const, id })),
    { type: 'pending' as const, id: newId() },
  ]
  const principal = random.pick(principals)
  const object =
    project && random.chance(0.4) ? { type: random.pick(objectTypes), id: random.pick(objects) } : undefined
  const custom = world.roles.filter((one) => one.account === account && one.scope === (project ? 'project' : 'account'))
  const builtin = project ? random.pick(projectRoles) : random.pick(accountRoles)
  const own = custom.length > 0 && random.chance(0.35) ? random.pick(custom).id : builtin
  const offsetMs = random.pick([null, null, -1000, 0, 1000])
  return {
    id: newId(),
    account,
    principalType: principal.type,
    principalId: principal.id,
    roleId: object && random.chance(0.8) ? 'builtin:agent-user' : own,
    project: project?.id ?? null,
    objectType: object?.type ?? null,
    objectId: object?.id ?? null,
    expiresAt: offsetMs === null ? null : new Date(now.getTime() + offsetMs),
  }
}

/** Mostly somebody whose credential fits the place: most strangers are refused at the first step. */
export function makePrincipal(random: Random, world: World, scope: Scope): Principal {
  const user = random.pick(world.users)
  const near = world.projects.find(({ id }) => id === scope.projectId)
  const project = near && random.chance(0.85) ? near : random.pick(world.projects)
  const home = random.chance(0.8) && scope.accountId !== undefined ? scope.accountId : random.pick(world.accounts)
  const local = world.serviceAccounts.filter(({ account }) => account === home)
  const machine = local.length > 0 ? random.pick(local) : random.pick(world.serviceAccounts)
  const session = { authType: 'pat', homeAccountId: project.account, boundProjectId: project.id } as const
  return random.pick([
    signedIn(user),
    signedIn(user),
    signedIn(user, { authType: 'pat', homeAccountId: home }),
    signedIn(user, { ...session }),
    signedIn(user, { authType: 'oauth', scopes: ['profile', 'svc'] }),
    signedIn(user, { authType: 'oauth', scopes: ['profile'] }),
    signedIn(user, { ...session, sessionId: newId(), agentGrant: makeGrant(random) }),
    signedIn(user, { ...session, sessionId: newId(), agentGrant: makeGrant(random) }),
    signedIn(user, { ...session, sessionId: newId() }),
    signedIn(newId(), {
      ...session,
      kind: 'service_account',
      sessionId: newId(),
      agentGrant: makeGrant(random),
      isAutomation: true,
    }),
    signedIn(machine.id, { kind: 'service_account', authType: 'service_account', homeAccountId: machine.account }),
    signedIn(machine.id, { kind: 'service_account', ...session, sessionId: newId(), agentGrant: makeGrant(random) }),
    signedIn('', { kind: 'anonymous', authType: undefined }),
  ])
}

function makeGrant(random: Random): AgentGrant {
  const listed = random.some([...projectActions, 'project.cr.open', 'project.cr.merge', 'project.session.exec'], 0.3)
  const svc_cli = random.pick(['all' as const, listed, listed, ['*'], []])
  return { agent: random.pick([...agents, 'stranger']), connectors: [], svc_cli, env: [] }
}

export function makeScope(random: Random, world: World): Scope {
  if (random.chance(0.2)) return { accountId: random.pick(world.accounts) }
  const object = random.chance(0.5) ? { type: random.pick(objectTypes), id: random.pick(objects) } : undefined
  if (random.chance(0.05)) return { accountId: random.pick(world.accounts), projectId: newId(), object }
  const { id, account } = random.pick(world.projects)
  return { accountId: account, projectId: id, object }
}

export async function storeWorld({ sql }: Database, world: World): Promise<void> {
  await sql`insert into svc.users ${sql(world.users.map((id) => ({ user_id: id, email: `${id}@example.com` })))}`
  await sql`insert into svc.accounts ${sql(world.accounts.map((id) => ({ account_id: id, name: 'An account' })))}`
  const projects = world.projects.map(({ id, account, archived }) => ({
    project_id: id,
    account_id: account,
    name: 'A project',
    status: archived ? 'archived' : 'active',
  }))
  await sql`insert into svc.projects ${sql(projects)}`
  const groups = world.groups.map(({ id, account }) => ({ group_id: id, account_id: account, name: id }))
  await sql`insert into svc.groups ${sql(groups)}`
  const members = world.groups.flatMap(({ id, members }) => members.map((user) => ({ group_id: id, user_id: user })))
  if (members.length > 0) await sql`insert into svc.group_members ${sql(members)}`
  for (const [index, { id, account, scope, actions }] of world.roles.entries()) {
    await sql`insert into svc.roles (role_id, account_id, key, name, resource_type, actions)
      values (${id}, ${account}, ${`role_${index}`}, 'A role', ${scope}, ${[...actions]})`
  }
  const machines = world.serviceAccounts.map(({ id, account, disabled, project, agent }) => ({
    service_account_id: id,
    account_id: account,
    name: id,
    public_prefix: 'svc_sa_',
    secret_hash: id,
    status: disabled ? 'disabled' : 'active',
    project_id: project ?? null,
    agent_name: agent ?? null,
  }))
  await sql`insert into svc.service_accounts ${sql(machines)}`
  const assignments = world.assignments.map((row) => ({
    assignment_id: row.id,
    account_id: row.account,
    principal_type: row.principalType,
    principal_id: row.principalId,
    role_id: row.roleId,
    scope_type: row.project === null ? 'account' : 'project',
    scope_id: row.project,
    object_type: row.objectType,
    object_id: row.objectId,
    expires_at: row.expiresAt,
  }))
  await sql`insert into svc.assignments ${sql(assignments)}`
}
