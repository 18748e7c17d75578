import { randomBytes } from 'node:crypto'
import { loadMasterKeys, loadTokenHasher, type TokenHasher } from '../../apps/server/src/kernel/crypto/index.ts'
import { newId } from '../../apps/server/src/kernel/ids/index.ts'
import { mintToken } from '../../apps/server/src/kernel/tokens/index.ts'
import { startTestPlatform } from '../support/platform.ts'

type TestPlatform = Awaited<ReturnType<typeof startTestPlatform>>

/** Every kind of caller that the matrix knows. */
export const callers = [
  'anonymous',
  'malformed',
  'expired',
  'revoked',
  'outsider',
  'operator',
  'member',
  'manager',
  'admin',
  'owner',
  'own project token',
  'other project token',
  'idle service account',
  'session with grant',
  'session without grant',
] as const
export type Caller = (typeof callers)[number]

export interface Tenant {
  readonly accountId: string
  readonly projectId: string
  readonly otherProjectId: string
  readonly groupId: string
  readonly roleId: string
  readonly serviceAccountId: string
  readonly assignmentId: string
  readonly tokenId: string
  readonly ownerId: string
  readonly memberId: string
  /** Stands in every name of this tenant: seen by somebody else it is a leak. */
  readonly marker: string
}

/** Two tenants and somebody of every kind. */
export interface World {
  readonly tenant: Tenant
  readonly outsider: Tenant
  /** The bearer credential of each caller; undefined for nobody. */
  readonly bearers: Readonly<Record<Caller, string | undefined>>
}

/** Made together, so that the thousand worlds of a matrix do not cost a hundred thousand statements. */
const worldsAtOnce = 16

export async function startMatrix() {
  const platform = await startTestPlatform()
  const masterKeys = await loadMasterKeys({ dataDir: platform.dataDir, environmentValue: undefined })
  const hasher = await loadTokenHasher(platform.database.sql, masterKeys)
  const made: World[] = []
  return {
    url: platform.url,
    sql: platform.database.sql,
    /** A fresh pair of tenants: what one call destroys never reaches another cell. */
    async makeWorld(): Promise<World> {
      if (made.length === 0) made.push(...(await makeWorlds(platform, hasher)))
      const world = made.pop()
      if (!world) throw new Error('no world was made')
      return world
    },
    forgetRateLimits: async () => void (await platform.database.sql`delete from svc.rate_limits`),
    stop: () => platform.stop(),
  }
}

async function makeWorlds({ database }: TestPlatform, { hashToken }: TokenHasher): Promise<World[]> {
  const plan: Plan = { hashToken, rows: new Map() }
  const worlds = Array.from({ length: worldsAtOnce }, () => planWorld(plan))
  const { sql } = database
  for (const table of tables) await sql`insert into svc.${sql(table)} ${sql(plan.rows.get(table) ?? [])}`
  return worlds
}

/** In the order in which they refer to each other. */
const tables = [
  'users',
  'accounts',
  'projects',
  'groups',
  'group_members',
  'roles',
  'service_accounts',
  'tokens',
  'assignments',
  'sign_in_sessions',
  'sign_in_tokens',
] as const

type Value = string | boolean | Date | null | readonly string[] | { readonly [key: string]: string | readonly string[] }

/** What is still to be written. */
interface Plan {
  readonly hashToken: TokenHasher['hashToken']
  readonly rows: Map<string, Record<string, Value>[]>
}

function add({ rows }: Plan, table: (typeof tables)[number], row: Record<string, Value>): void {
  rows.set(table, [...(rows.get(table) ?? []), row])
}

function planWorld(plan: Plan): World {
  const tenant = planTenant(plan)
  const outsider = planTenant(plan)
  const operatorId = addUser(plan, 'operator', true)
  const operatorAccount = addAccount(plan, 'operator')
  assign(plan, operatorAccount, operatorId, 'builtin:owner')
  const managerId = addUser(plan, 'manager')
  assign(plan, tenant.accountId, managerId, 'builtin:member')
  assign(plan, tenant.accountId, managerId, 'builtin:manager', tenant.projectId)
  const adminId = addUser(plan, 'admin')
  assign(plan, tenant.accountId, adminId, 'builtin:admin')
  const { accountId, projectId, otherProjectId, ownerId } = tenant
  const past = new Date(Date.now() - 60_000)
  const session = { kind: 'session', userId: ownerId, projectId, sessionId: newId() } as const
  const bearers: Record<Caller, string | undefined> = {
    anonymous: undefined,
    malformed: 'svc_pat_thisIsNoToken',
    expired: addToken(plan, { accountId, kind: 'pat', userId: ownerId, expiresAt: past }),
    revoked: addToken(plan, { accountId, kind: 'pat', userId: ownerId, status: 'revoked' }),
    outsider: signIn(plan, outsider.ownerId),
    operator: signIn(plan, operatorId),
    member: signIn(plan, tenant.memberId),
    manager: signIn(plan, managerId),
    admin: signIn(plan, adminId),
    owner: signIn(plan, ownerId),
    'own project token': addToken(plan, { accountId, kind: 'project', userId: ownerId, projectId }),
    'other project token': addToken(plan, { accountId, kind: 'project', userId: ownerId, projectId: otherProjectId }),
    'idle service account': addServiceAccount(plan, accountId, 'idle').secret,
    'session with grant': addToken(plan, { ...session, accountId, svcCli: 'all' }),
    'session without grant': addToken(plan, { ...session, accountId, svcCli: [] }),
  }
  return { tenant, outsider, bearers }
}

function planTenant(plan: Plan): Tenant {
  const marker = `marker${randomBytes(6).toString('hex')}`
  const accountId = addAccount(plan, marker)
  const ownerId = addUser(plan, marker)
  const memberId = addUser(plan, `${marker}-member`)
  assign(plan, accountId, ownerId, 'builtin:owner')
  assign(plan, accountId, memberId, 'builtin:member')
  const [projectId, otherProjectId, groupId, roleId, tokenId] = [newId(), newId(), newId(), newId(), newId()]
  for (const id of [projectId, otherProjectId]) {
    add(plan, 'projects', { project_id: id, account_id: accountId, name: marker })
  }
  const assignmentId = assign(plan, accountId, memberId, 'builtin:user', projectId)
  add(plan, 'groups', { group_id: groupId, account_id: accountId, name: marker })
  add(plan, 'group_members', { group_id: groupId, user_id: memberId })
  const role = { key: marker, name: marker, resource_type: 'project', actions: ['project.read'] }
  add(plan, 'roles', { role_id: roleId, account_id: accountId, ...role })
  const { id: serviceAccountId } = addServiceAccount(plan, accountId, marker)
  addToken(plan, { accountId, kind: 'pat', userId: ownerId, tokenId })
  const rest = { groupId, roleId, serviceAccountId, assignmentId, tokenId, ownerId, memberId, marker }
  return { accountId, projectId, otherProjectId, ...rest }
}

function addUser(plan: Plan, name: string, isOperator = false): string {
  const id = newId()
  const email = `${name}-${id}@example.com`
  add(plan, 'users', { user_id: id, email, email_confirmed_at: new Date(), is_operator: isOperator })
  return id
}

function addAccount(plan: Plan, name: string): string {
  const id = newId()
  add(plan, 'accounts', { account_id: id, name })
  return id
}

function assign(
  plan: Plan,
  accountId: string,
  userId: string,
  roleId: string,
  projectId: string | null = null,
): string {
  const id = newId()
  add(plan, 'assignments', {
    assignment_id: id,
    account_id: accountId,
    principal_type: 'user',
    principal_id: userId,
    role_id: roleId,
    scope_type: projectId === null ? 'account' : 'project',
    scope_id: projectId,
  })
  return id
}

function signIn(plan: Plan, userId: string): string {
  const [sessionId, token] = [newId(), randomBytes(32).toString('base64url')]
  const inAnHour = new Date(Date.now() + 3_600_000)
  add(plan, 'sign_in_sessions', { session_id: sessionId, user_id: userId, method: 'password' })
  add(plan, 'sign_in_tokens', {
    token_hash: plan.hashToken(token),
    session_id: sessionId,
    kind: 'access',
    expires_at: inAnHour,
  })
  return token
}

interface TokenInput {
  readonly accountId: string
  readonly kind: 'pat' | 'project' | 'session'
  readonly userId: string
  readonly tokenId?: string
  readonly projectId?: string
  readonly sessionId?: string
  readonly svcCli?: 'all' | readonly string[]
  readonly expiresAt?: Date
  readonly status?: 'active' | 'revoked'
}

function addToken(plan: Plan, input: TokenInput): string {
  const secret = mintToken('svc_pat_')
  add(plan, 'tokens', {
    token_id: input.tokenId ?? newId(),
    kind: input.kind,
    account_id: input.accountId,
    user_id: input.userId,
    project_id: input.projectId ?? null,
    session_id: input.sessionId ?? null,
    agent_grant: input.svcCli ? { agent: 'builder', connectors: 'all', svc_cli: input.svcCli, env: 'all' } : null,
    name: 'A key',
    public_key: `pk_${newId()}`,
    secret_hash: plan.hashToken(secret),
    status: input.status ?? 'active',
    expires_at: input.expiresAt ?? null,
  })
  return secret
}

function addServiceAccount(plan: Plan, accountId: string, name: string) {
  const [id, secret] = [newId(), mintToken('svc_sa_')]
  add(plan, 'service_accounts', {
    service_account_id: id,
    account_id: accountId,
    name,
    public_prefix: 'svc_sa_',
    secret_hash: plan.hashToken(secret),
  })
  return { id, secret }
}
