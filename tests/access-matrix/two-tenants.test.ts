import { type AnyOperation, listOperations, listParamNames } from '@svc/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampleRequest } from './sample-request.ts'
import { type Reply, send } from './send.ts'
import { startMatrix, type Tenant, type World } from './world.ts'

/**
 * The owner of one tenant tries every id of another on every route: below the other's account and project, and, more
 * cunningly, below their own. Nothing may be read, nothing changed, and nothing told apart from what does not exist.
 */

let matrix: Awaited<ReturnType<typeof startMatrix>>
beforeAll(async () => {
  matrix = await startMatrix()
})
afterAll(() => matrix.stop())

const tally = { requests: 0, leaks: 0 }
afterAll(() => console.log(`two tenants: ${tally.requests} foreign requests, leaks: ${tally.leaks}`))

const closed = listOperations().filter(({ needs }) => needs !== 'public')
const about = closed.filter(({ path }) => path.includes(':'))

test.each(about.map((operation) => [operation.id, operation] as const))(
  '%s',
  { timeout: 120_000 },
  async (_id, operation) => {
    await matrix.forgetRateLimits()
    const world = await matrix.makeWorld()
    const before = await snapshot(world.tenant)
    const problems = [...(await tryBelowForeign(operation, world)), ...(await tryBelowOwn(operation, world))]
    tally.leaks += problems.length
    expect(problems).toEqual([])
    expect(await snapshot(world.tenant)).toEqual(before)
  },
)

/** A foreign account or project answers 403 or 404, with nothing of it in the answer. */
async function tryBelowForeign(operation: AnyOperation, world: World): Promise<string[]> {
  if (!/:(accountId|projectId)/.test(operation.path)) return []
  const reply = await ask(operation, world, world.tenant, world.tenant)
  if (!reply) return []
  const isClosed = [401, 403, 404].includes(reply.status)
  // By design: whoever is signed in may ask for access to a project, and leaving an account one is not in finds nothing.
  const mayAsk = operation.needs === 'signed-in' || operation.needs === 'user'
  return [...leaks(reply, world.tenant), ...(isClosed || mayAsk ? [] : [`${reply.status} ${reply.text.slice(0, 200)}`])]
}

/** Somebody else's id below one's own account answers exactly as an id that nobody has. */
async function tryBelowOwn(operation: AnyOperation, world: World): Promise<string[]> {
  const below = listParamNames(operation.path).filter((name) => name !== 'accountId' && name !== 'projectId')
  if (!below.some((name) => name.endsWith('Id'))) return []
  const foreign = await ask(operation, world, world.outsider, world.tenant)
  const unknown = await ask(operation, world, world.outsider, 'unknown')
  if (!foreign || !unknown) return []
  const isSame = foreign.status === unknown.status && blur(foreign.text) === blur(unknown.text)
  return [...leaks(foreign, world.tenant), ...(isSame ? [] : [`${blur(foreign.text)} is not ${blur(unknown.text)}`])]
}

async function ask(operation: AnyOperation, world: World, place: Tenant, ids: Tenant | 'unknown') {
  const request = sampleRequest(operation, place, ids)
  if (!request) return undefined
  tally.requests += 1
  return send(matrix.url, request, world.bearers.outsider)
}

function leaks({ text }: Reply, { marker }: Tenant): string[] {
  return text.includes(marker) ? [`tells the other tenant’s names: ${text.slice(0, 200)}`] : []
}

function blur(text: string): string {
  return text.replace(/"request_id":"[^"]*"/, '').replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id')
}

async function snapshot({ accountId }: Tenant): Promise<unknown> {
  const { sql } = matrix
  const rows = await Promise.all([
    sql`select account_id, name from svc.accounts where account_id = ${accountId}`,
    sql`select project_id, name, status from svc.projects where account_id = ${accountId} order by 1`,
    sql`select assignment_id, role_id, expires_at from svc.assignments where account_id = ${accountId} order by 1`,
    sql`select role_id, name, actions from svc.roles where account_id = ${accountId} order by 1`,
    sql`select group_id, name, description from svc.groups where account_id = ${accountId} order by 1`,
    sql`select m.group_id, user_id from svc.group_members m join svc.groups g using (group_id)
      where g.account_id = ${accountId} order by 1, 2`,
    sql`select service_account_id, status from svc.service_accounts where account_id = ${accountId} order by 1`,
    sql`select token_id, status from svc.tokens where account_id = ${accountId} order by 1`,
  ])
  return rows.map((table) => [...table].map((row) => ({ ...row })))
}
