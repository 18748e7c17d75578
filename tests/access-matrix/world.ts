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

export interface World {
  readonly tenant: Tenant
  readonly outsider: Tenant
  /** The bearer credential of each caller; undefined for nobody. */
  readonly bearers: Readonly<Record<Caller, string | undefined>>
}

export async function startMatrix() {
  const platform = await startTestPlatform()
  const masterKeys = await loadMasterKeys({ dataDir: platform.dataDir, environmentValue: undefined })
  const hasher = await loadTokenHasher(platform.database.sql, masterKeys)
  const context: Context = { platform, hasher }
  return {
    url: platform.url,
    sql: platform.database.sql,
    /** A fresh pair of tenants: what one call destroys never reaches another cell. */
    makeWorld: () => makeWorld(context),
    forgetRateLimits: async () => void (await platform.database.sql`delete from svc.rate_limits`),
    stop: () => platform.stop(),
  }
}

interface Context {
  readonly platform: TestPlatform
  readonly hasher: TokenHasher
}

async function makeWorld(context: Context): Promise<World> {
  const tenant = await makeTenant(context)
  const outsider = await makeTenant(context)
  const operatorId = await addUser(context, 'operator', true)
  const operatorAccount = await addAccount(context, 'operator')
  await assign(context, operatorAccount, operatorId, 'builtin:owner')
  const managerId = await addUser(context, 'manager')
  await assign(context, tenant.accountId, managerId, 'builtin:member')
  await assign(context, tenant.accountId, managerId, 'builtin:manager', tenant.projectId)
  const adminId = await addUser(context, 'admin')
  await assign(context, tenant.accountId, adminId, 'builtin:admin')
  const { accountId, projectId, otherProjectId, ownerId } = tenant
  const past = new Date(Date.now() - 60_000)
  const session = { kind: 'session', userId: ownerId, projectId, sessionId: newId() } as const
  const bearers: Record<Caller, string | undefined> = {
    anonymous: undefined,
    malformed: 'svc_pat_thisIsNoToken',
    expired: await addToken(context, { accountId, kind: 'pat', userId: ownerId, expiresAt: past }),
    revoked: await addToken(context, { accountId, kind: 'pat', userId: ownerId, status: 'revoked' }),
    outsider: await signIn(context, outsider.ownerId),
    operator: await signIn(context, operatorId),
    member: await signIn(context, tenant.memberId),
    manager: await signIn(context, managerId),
    admin: await signIn(context, adminId),
    owner: await signIn(context, ownerId),
    'own project token': await addToken(context, { accountId, kind: 'project', userId: ownerId, projectId }),
    'other project token': await addToken(context, {
      accountId,
      kind: 'project',
      userId: ownerId,
      projectId: otherProjectId,
    }),
    'idle service account': (await addServiceAccount(context, accountId, 'idle')).secret,
    'session with grant': await addToken(context, { ...session, accountId, svcCli: 'all' }),
    'session without grant': await addToken(context, { ...session, accountId, svcCli: [] }),
  }
  return { tenant, outsider, bearers }
}

async function makeTenant(context: Context): Promise<Tenant> {
  const { sql } = context.platform.database
  const marker = `marker${randomBytes(6).toString('hex')}`
  const accountId = await addAccount(context, marker)
  const ownerId = await addUser(context, marker)
  const memberId = await addUser(context, `${marker}-member`)
  await assign(context, accountId, ownerId, 'builtin:owner')
  await assign(context, accountId, memberId, 'builtin:member')
  const [projectId, otherProjectId, groupId, roleId, tokenId] = [newId(), newId(), newId(), newId(), newId()]
  for (const id of [projectId, otherProjectId]) {
    await sql`insert into svc.projects (project_id, account_id, name) values (${id}, ${accountId}, ${marker})`
  }
  const assignmentId = await assign(context, accountId, memberId, 'builtin:user', projectId)
  await sql`insert into svc.groups (group_id, account_id, name) values (${groupId}, ${accountId}, ${marker})`
  await sql`insert into svc.group_members (group_id, user_id) values (${groupId}, ${memberId})`
  await sql`insert into svc.roles (role_id, account_id, key, name, resource_type, actions)
    values (${roleId}, ${accountId}, ${marker}, ${marker}, 'project', ${['project.read']})`
  const { id: serviceAccountId } = await addServiceAccount(context, accountId, marker)
  await addToken(context, { accountId, kind: 'pat', userId: ownerId, tokenId })
  const rest = { groupId, roleId, serviceAccountId, assignmentId, tokenId, ownerId, memberId, marker }
  return { accountId, projectId, otherProjectId, ...rest }
}

async function addUser({ platform }: Context, name: string, isOperator = false): Promise<string> {
  const id = newId()
  await platform.database.sql`
    insert into svc.users (user_id, email, email_confirmed_at, is_operator)
    values (${id}, ${`${name}-${id}@example.com`}, now(), ${isOperator})`
  return id
}

async function addAccount({ platform }: Context, name: string): Promise<string> {
  const id = newId()
  await platform.database.sql`insert into svc.accounts (account_id, name) values (${id}, ${name})`
  return id
}

async function assign(
  { platform }: Context,
  accountId: string,
  userId: string,
  roleId: string,
  projectId: string | null = null,
): Promise<string> {
  const id = newId()
  await platform.database.sql`
    insert into svc.assignments (assignment_id, account_id, principal_type, principal_id, role_id, scope_type, scope_id)
    values (${id}, ${accountId}, 'user', ${userId}, ${roleId}, ${projectId === null ? 'account' : 'project'}, ${projectId})`
  return id
}

async function signIn({ platform, hasher }: Context, userId: string): Promise<string> {
  const { sql } = platform.database
  const [sessionId, token] = [newId(), randomBytes(32).toString('base64url')]
  await sql`insert into svc.sign_in_sessions (session_id, user_id, method) values (${sessionId}, ${userId}, 'password')`
  await sql`insert into svc.sign_in_tokens (token_hash, session_id, kind, expires_at)
    values (${hasher.hashToken(token)}, ${sessionId}, 'access', now() + interval '1 hour')`
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

async function addToken({ platform, hasher }: Context, input: TokenInput): Promise<string> {
  const secret = mintToken('svc_pat_')
  const { sql } = platform.database
  const grant = input.svcCli && { agent: 'builder', connectors: 'all', svc_cli: input.svcCli, env: 'all' }
  await sql`
    insert into svc.tokens (token_id, kind, account_id, user_id, project_id, session_id, agent_grant, name, public_key,
      secret_hash, status, expires_at)
    values (${input.tokenId ?? newId()}, ${input.kind}, ${input.accountId}, ${input.userId},
      ${input.projectId ?? null}, ${input.sessionId ?? null}, ${grant === undefined ? null : JSON.stringify(grant)}::text::jsonb,
      'A key', ${`pk_${newId()}`}, ${hasher.hashToken(secret)}, ${input.status ?? 'active'}, ${input.expiresAt ?? null})`
  return secret
}

async function addServiceAccount({ platform, hasher }: Context, accountId: string, name: string) {
  const [id, secret] = [newId(), mintToken('svc_sa_')]
  await platform.database.sql`
    insert into svc.service_accounts (service_account_id, account_id, name, public_prefix, secret_hash)
    values (${id}, ${accountId}, ${name}, 'svc_sa_', ${hasher.hashToken(secret)})`
  return { id, secret }
}
