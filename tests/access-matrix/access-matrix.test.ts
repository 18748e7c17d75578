import { type AnyOperation, listOperations } from '@svc/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectedCallers, isUnidentified } from './expected.ts'
import { sampleRequest } from './sample-request.ts'
import { send } from './send.ts'
import { type Caller, callers, startMatrix, type World } from './world.ts'

/**
 * Every operation of the contract by every kind of caller: refused (401, 403) or let through to the handler, as an
 * independent table says. An operation whose needs the table does not know fails.
 */

let matrix: Awaited<ReturnType<typeof startMatrix>>
beforeAll(async () => {
  matrix = await startMatrix()
})
afterAll(() => matrix.stop())

const tally = { cells: 0, wrong: 0 }
afterAll(() => {
  console.log(`access matrix: ${listOperations().length} operations, ${tally.cells} cells, wrong cells: ${tally.wrong}`)
})

test.each(listOperations().map((operation) => [operation.id, operation] as const))(
  '%s',
  { timeout: 120_000 },
  async (_id, operation) => {
    const expected = expectedCallers(operation)
    expect(expected, `expected.ts has no row for ${operation.needs}: say there who may`).toBeDefined()
    await matrix.forgetRateLimits()
    const world = await matrix.makeWorld()
    const isAllowed = (caller: Caller) => expected === 'everybody' || expected?.includes(caller) === true
    const wrong: string[] = []
    // Those who are refused change nothing and share a world; whoever is let through gets one of their own.
    for (const caller of [...callers].sort((a, b) => Number(isAllowed(a)) - Number(isAllowed(b)))) {
      const place = isAllowed(caller) && operation.method !== 'GET' ? await matrix.makeWorld() : world
      const found = await judge(operation, caller, place, isAllowed(caller))
      tally.cells += 1
      if (found) wrong.push(found)
    }
    tally.wrong += wrong.length
    expect(wrong).toEqual([])
  },
)

async function judge(operation: AnyOperation, caller: Caller, world: World, allowed: boolean) {
  const request = sampleRequest(operation, world.tenant)
  if (!request) return `${operation.id}: no request fits its schema; add one to sample-request.ts`
  const { status, code, text } = await send(matrix.url, request, world.bearers[caller])
  const answered = `${caller}: ${status} ${text.slice(0, 200)}`
  if (operation.needs !== 'public' && isUnidentified(caller)) return status === 401 ? undefined : answered
  const isRefused = status === 401 || (status === 403 && (code === 'forbidden' || code === 'agent_not_accessible'))
  if (allowed) {
    // The gate let them through, and the handler asked for one of the permissions that the operation says it may.
    const isAskedForMore = caller !== 'owner' && operation.mayNeed.some((permission) => text.includes(permission))
    if (!isRefused || operation.needs === 'public' || isAskedForMore) return faultOf(status, answered)
    return `must pass, ${answered}`
  }
  // A permission on a project that the request does not name finds none.
  const findsNothing =
    status === 404 && operation.needs.startsWith('project.') && !request.path.includes(world.tenant.projectId)
  return isRefused || findsNothing ? undefined : `must be refused, ${answered}`
}

function faultOf(status: number, answered: string): string | undefined {
  return status === 500 || status === 405 ? answered : undefined
}
