import { type Access, operation, operations, type Permission, type Route } from '@svc/contract'
import { afterAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Actor } from '../../kernel/actor.ts'
import { newId } from '../../kernel/ids/index.ts'
import type { AgentGrant, Principal } from '../../kernel/principal.ts'
import { addAccount, addProject, addUser, signedIn, startTestAccess } from '../testing/test-access.ts'

const sandboxes = new Map<string, string>()
const personal = new Map<string, string>()
const node = await startTestAccess({
  projectOfSandbox: async (sandboxId) => sandboxes.get(sandboxId),
  ensurePersonalAccount: async (userId) => personal.get(userId) ?? '',
})
const { access, database } = node
afterAll(() => node.stop())

const actor: Actor = { type: 'system' }
const accountId = await addAccount(database)
const projectId = await addProject(database, accountId)
const otherProjectId = await addProject(database, accountId)
const ownerId = await addUser(database)
const memberId = await addUser(database)
await database.transact(actor, async (tx) => {
  await access.setAccountRole(tx, { accountId, userId: ownerId, role: 'owner' })
  await access.setAccountRole(tx, { accountId, userId: memberId, role: 'member' })
  const principal = { type: 'user', id: memberId } as const
  await access.grantRole(tx, { accountId, principal, projectId, roleId: 'builtin:user' })
})
const owner = signedIn(ownerId)
const member = signedIn(memberId)
const bound = signedIn(ownerId, { authType: 'pat', homeAccountId: accountId, boundProjectId: projectId })

function call(principal: Principal, at: Route, needs: Access, params: Record<string, string> = {}, query: object = {}) {
  const shape = z.object(Object.fromEntries(Object.keys(query).map((name) => [name, z.string()])))
  const declared = operation({
    id: 'test.call',
    at,
    summary: 'For a test',
    needs,
    audit: 'none',
    query: shape,
    returns: z.object({}),
  })
  return access.gate.authorize(declared, principal, { params, query, body: undefined })
}

const getProject = (principal: Principal, id = projectId, needs: Permission = 'project.read') =>
  call(principal, 'GET /v1/projects/:projectId', needs, { projectId: id })

describe('a project', () => {
  test('unknown or archived is 404, one without access 403 with the sentence of the specification', async () => {
    await expect(getProject(owner, newId())).rejects.toMatchObject({ status: 404 })
    const archived = await addProject(database, accountId)
    await database.sql`update svc.projects set status = 'archived' where project_id = ${archived}`
    await expect(getProject(owner, archived)).rejects.toMatchObject({ status: 404 })
    const stranger = signedIn(await addUser(database))
    const denial = { status: 403, code: 'forbidden', message: 'You do not have access to this project' }
    await expect(getProject(stranger)).rejects.toMatchObject(denial)
    await expect(getProject(member, otherProjectId)).rejects.toMatchObject(denial)
  })

  test('a role that is too low is told so, and whom to ask', async () => {
    const refused = getProject(member, projectId, 'project.delete')
    await expect(refused).rejects.toThrow(/role member does not allow project\.delete .*owner or admin/)
  })

  test('an admitted call knows its account and project, and so does its actor', async () => {
    const admission = await getProject(member)
    expect(admission).toMatchObject({ accountId, projectId })
    expect(admission.principal.actor).toMatchObject({ accountId, projectId })
  })
})

describe('a token that is bound to a project', () => {
  test('reaches who-am-I, its own project, the gateways and its own sandboxes', async () => {
    const sandboxId = newId()
    sandboxes.set(sandboxId, projectId)
    await getProject(bound)
    await call(bound, 'GET /v1/accounts/me', 'signed-in')
    await call(bound, 'POST /v1/llm/chat/completions', 'signed-in')
    await call(bound, 'GET /v1/connectors/connect-status', 'signed-in')
    await call(bound, 'GET /v1/git/:projectId/info/refs', 'project.gitops.read', { projectId })
    await call(bound, 'GET /v1/p/:sandboxId/:port', 'signed-in', { sandboxId, port: '3000' })
  })

  test('reaches nothing else', async () => {
    const denial = { status: 403, message: expect.stringMatching(/scoped to one project/) }
    await expect(getProject(bound, otherProjectId)).rejects.toMatchObject(denial)
    await expect(getProject(bound, newId())).rejects.toMatchObject(denial)
    await expect(call(bound, 'GET /v1/projects', 'signed-in')).rejects.toMatchObject(denial)
    await expect(call(bound, 'GET /v1/accounts', 'signed-in')).rejects.toMatchObject(denial)
    const account = call(bound, 'GET /v1/accounts/:accountId', 'account-member', { accountId })
    await expect(account).rejects.toMatchObject(denial)
    const sandbox = call(bound, 'GET /v1/p/:sandboxId/:port', 'signed-in', { sandboxId: newId(), port: '80' })
    await expect(sandbox).rejects.toMatchObject(denial)
  })

  test('of an agent is told its grant, and manages no keys', async () => {
    const agentGrant: AgentGrant = { agent: 'builder', connectors: [], svc_cli: ['project.cr.open'], env: [] }
    const agent = { ...bound, sessionId: newId(), agentGrant }
    await getProject(agent)
    await getProject(agent, projectId, 'project.gitops.push')
    const refused = getProject(agent, projectId, 'project.gitops.merge')
    await expect(refused).rejects.toThrow(/builder is not granted project\.gitops\.merge.*\[project\.cr\.open\]/)
    const everything = { ...agent, agentGrant: { ...agentGrant, svc_cli: 'all' as const } }
    const mint = call(everything, 'POST /v1/projects/:projectId/cli-token', 'project.credentials.issue', { projectId })
    await expect(mint).rejects.toMatchObject({ status: 403 })
  })
})

describe('an OAuth token', () => {
  const reading = signedIn(ownerId, { authType: 'oauth', scopes: ['profile'] })
  const acting = signedIn(ownerId, { authType: 'oauth', scopes: ['profile', 'svc'] })

  test('without the scope svc only tells who signed in', async () => {
    await call(reading, 'GET /v1/accounts/me', 'signed-in')
    await call(reading, 'GET /v1/oauth/userinfo', 'signed-in')
    await expect(getProject(reading)).rejects.toMatchObject({ status: 403 })
    await expect(call(reading, 'GET /v1/accounts', 'user')).rejects.toMatchObject({ status: 403 })
  })

  test('with it acts as the person, but makes no other credentials', async () => {
    await getProject(acting)
    await expect(call(acting, 'POST /v1/accounts/tokens', 'account-member')).rejects.toMatchObject({ status: 403 })
    for (const path of ['cli-token', 'git-token', 'gateway/keys']) {
      const minting = call(acting, `POST /v1/projects/:projectId/${path}`, 'project.read', { projectId })
      await expect(minting).rejects.toMatchObject({ status: 403 })
    }
  })
})

describe('a service account', () => {
  async function addMachine() {
    const id = newId()
    await database.sql`insert into svc.service_accounts (service_account_id, account_id, name, public_prefix, secret_hash)
      values (${id}, ${accountId}, ${id}, 'svc_sa_', ${id})`
    return signedIn(id, { kind: 'service_account', authType: 'service_account', homeAccountId: accountId })
  }

  test('with nothing assigned gets one answer everywhere but who-am-I', async () => {
    const machine = await addMachine()
    const denial = { status: 403, message: 'You do not have access to this project' }
    await call(machine, 'GET /v1/accounts/me', 'signed-in')
    await expect(call(machine, 'GET /v1/projects', 'signed-in')).rejects.toMatchObject(denial)
    await expect(getProject(machine)).rejects.toMatchObject(denial)
    await expect(getProject(machine, newId())).rejects.toMatchObject(denial)
  })

  test('works with a project role, belongs to its own account, and stops when it is disabled', async () => {
    const machine = await addMachine()
    const principal = { type: 'service_account', id: machine.id } as const
    await database.transact(actor, (tx) =>
      access.grantRole(tx, { accountId, principal, projectId, roleId: 'builtin:user' }),
    )
    await getProject(machine)
    const listed = await call(machine, 'GET /v1/projects', 'signed-in', {}, { account_id: accountId })
    expect(listed.accountId).toBe(accountId)
    expect(await access.listAccessibleProjects(machine, accountId)).toEqual([projectId])
    await database.sql`update svc.service_accounts set status = 'disabled' where service_account_id = ${machine.id}`
    await expect
      .poll(() =>
        getProject(machine).then(
          () => 'open',
          () => 'closed',
        ),
      )
      .toBe('closed')
  })
})

describe('the account of a call that names none', () => {
  const list = (principal: Principal) => call(principal, 'GET /v1/accounts/tokens', 'token.read')

  test('is the account joined first, whatever role others give elsewhere; one’s own comes before all', async () => {
    const userId = await addUser(database)
    const [joined, owned, older] = [await addAccount(database), await addAccount(database), await addAccount(database)]
    const join = async (id: string, role: 'owner' | 'member') => {
      await database.transact(actor, (tx) => access.setAccountRole(tx, { accountId: id, userId, role }))
      return (await list(signedIn(userId))).accountId
    }
    expect(await join(joined, 'member')).toBe(joined)
    expect(await join(owned, 'owner')).toBe(joined)
    await database.sql`update svc.accounts set created_at = now() - interval '1 day' where account_id = ${older}`
    expect(await join(older, 'owner')).toBe(joined)
    expect(await join(joined, 'owner')).toBe(joined)
    await database.sql`insert into svc.accounts (account_id, name) values (${userId}, 'Own')`
    expect(await join(userId, 'owner')).toBe(userId)
  })

  test('is a personal account for whoever belongs to none, and the token’s own for a token', async () => {
    const userId = await addUser(database)
    const made = await addAccount(database)
    personal.set(userId, made)
    await database.transact(actor, (tx) => access.setAccountRole(tx, { accountId: made, userId, role: 'owner' }))
    await database.sql`delete from svc.assignments where account_id = ${made}`
    await expect.poll(() => access.listMemberships(userId)).toEqual([])
    await expect(list(signedIn(userId))).rejects.toThrow('You do not have access to this account')
    const token = signedIn(memberId, { authType: 'pat', homeAccountId: accountId })
    expect((await list(token)).accountId).toBe(accountId)
  })

  test('a named account the caller does not belong to is refused, whether or not it exists', async () => {
    const foreign = await addAccount(database)
    for (const id of [foreign, newId()]) {
      const named = call(member, 'GET /v1/accounts/tokens', 'token.read', {}, { account_id: id })
      await expect(named).rejects.toMatchObject({ status: 403, message: 'You do not have access to this account' })
      const below = call(member, 'GET /v1/accounts/:accountId/members', 'account-member', { accountId: id })
      await expect(below).rejects.toMatchObject({ status: 403, message: 'You do not have access to this account' })
    }
  })

  test('a personal access token does not leave its account', async () => {
    const second = await addAccount(database)
    await database.transact(actor, (tx) =>
      access.setAccountRole(tx, { accountId: second, userId: memberId, role: 'owner' }),
    )
    const token = signedIn(memberId, { authType: 'pat', homeAccountId: accountId })
    const outside = call(token, 'GET /v1/accounts/:accountId', 'account.read', { accountId: second })
    await expect(outside).rejects.toMatchObject({ status: 403, message: 'You do not have access to this account' })
    await call(member, 'GET /v1/accounts/:accountId', 'account.read', { accountId: second })
  })
})

describe('agents and skills', () => {
  const agentScope = { projectId, object: { type: 'agent', id: 'builder' } } as const

  test('an unassigned agent is told apart only when it is run', async () => {
    expect(await access.gate.refusal(member, 'project.session.start', agentScope)).toMatchObject({
      status: 403,
      code: 'agent_not_accessible',
    })
    expect(await access.gate.refusal(member, 'project.agent.read', agentScope)).toMatchObject({ status: 404 })
    expect(await access.gate.refusal(owner, 'project.session.start', agentScope)).toBeUndefined()
  })

  test('once somebody is named, others are not, managers included', async () => {
    const managerId = await addUser(database)
    const manager = signedIn(managerId)
    await database.transact(actor, (tx) =>
      access.grantRole(tx, {
        accountId,
        projectId,
        principal: { type: 'user', id: managerId },
        roleId: 'builtin:manager',
      }),
    )
    expect(await access.gate.refusal(manager, 'project.session.start', agentScope)).toBeUndefined()
    await database.transact(actor, (tx) =>
      access.grantRole(tx, {
        accountId,
        projectId,
        principal: { type: 'user', id: memberId },
        roleId: 'builtin:agent-user',
        object: agentScope.object,
      }),
    )
    expect(await access.gate.refusal(member, 'project.session.start', agentScope)).toBeUndefined()
    expect(await access.gate.refusal(manager, 'project.session.start', agentScope)).toMatchObject({
      code: 'agent_not_accessible',
    })
  })
})

test('a key or an app of the operator reads how the instance is, but neither its mail nor changes anything', async () => {
  const { mailbox } = operations.operator
  const input = { params: {}, query: {}, body: undefined }
  await access.gate.authorize(mailbox, signedIn(ownerId, { isOperator: true }), input)
  for (const authType of ['pat', 'oauth'] as const) {
    const scopes = authType === 'oauth' ? ['svc'] : undefined
    const key = signedIn(ownerId, { isOperator: true, authType, scopes })
    await call(key, 'GET /v1/operator', 'operator')
    const changing = call(key, 'PATCH /v1/operator/settings', 'operator')
    await expect(changing).rejects.toMatchObject({ status: 403 })
    await expect(access.gate.authorize(mailbox, key, input)).rejects.toMatchObject({ status: 403 })
  }
})

test('words ask for a person, a session, the operator', async () => {
  const token = signedIn(memberId, { authType: 'pat', homeAccountId: accountId })
  await call(token, 'POST /v1/accounts', 'user')
  await expect(call(token, 'GET /v1/auth/user', 'identity-session')).rejects.toMatchObject({ status: 403 })
  await expect(call(owner, 'GET /v1/operator', 'operator')).rejects.toMatchObject({ status: 403 })
  await call(signedIn(ownerId, { isOperator: true }), 'GET /v1/operator', 'operator')
  await call(signedIn(ownerId, { isOperator: true }), 'PATCH /v1/operator/settings', 'operator')
  await expect(call({ ...owner, kind: 'anonymous' }, 'GET /v1/accounts', 'signed-in')).rejects.toMatchObject({
    status: 401,
  })
})
