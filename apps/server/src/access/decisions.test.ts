import { permissionCatalog } from '@svc/contract'
import { afterAll, expect, test } from 'vitest'
import { explainProbe } from './explain.ts'
import { mayDo } from './testing/oracle.ts'
import { chooseSeed, createRandom } from './testing/random.ts'
import { makePrincipal, makeScope, makeWorld, storeWorld } from './testing/random-world.ts'
import { startTestAccess } from './testing/test-access.ts'

const node = await startTestAccess()
afterAll(() => node.stop())

const cases = process.env.SVC_TEST_LONG === '1' ? 100_000 : 10_000
const casesPerWorld = 500
const actions = permissionCatalog.map((row) => row.action)
const onObjects = ['project.agent.read', 'project.session.start', 'project.skill.read', 'project.write'] as const

test('explain, the gate and an independent oracle agree on every case of random worlds, and no agent exceeds its grant', {
  timeout: 600_000,
}, async () => {
  const seed = chooseSeed()
  const random = createRandom(seed)
  const wrong: unknown[] = []
  const seen = { allowed: 0, refused: 0, escapes: 0, byStep: new Map<string, number>() }
  for (let done = 0; done < cases; done += casesPerWorld) {
    const now = node.clock.now()
    const world = makeWorld(random, now)
    await storeWorld(node.database, world)
    for (let index = 0; index < casesPerWorld; index += 1) {
      const scope = makeScope(random, world)
      const principal = makePrincipal(random, world, scope)
      const action = random.chance(0.4) ? random.pick(onObjects) : random.pick(actions)
      const expected = mayDo(world, principal, action, scope, now)
      const decision = await node.access.decide(principal, action, scope)
      const refusal = await node.access.gate.refusal(principal, action, scope)
      const explained = await explainProbe({ facts: node.access }, principal, scope.accountId ?? '', {
        action,
        project_id: scope.projectId,
        object: scope.object,
      })
      const verdicts = [decision.allowed, refusal === undefined, explained.allowed]
      if (verdicts.some((verdict) => verdict !== expected) || decision.reason === '') {
        wrong.push({ expected, verdicts, decision, principal, action, scope })
      }
      if (decision.allowed && !isWithinGrant(principal.agentGrant?.svc_cli, action)) seen.escapes += 1
      seen[decision.allowed ? 'allowed' : 'refused'] += 1
      seen.byStep.set(decision.decidedBy.step, (seen.byStep.get(decision.decidedBy.step) ?? 0) + 1)
    }
  }
  console.log(`seed ${seed}: ${cases} decisions, wrong: ${wrong.length}, escapes: ${seen.escapes}`, seen)
  expect(wrong.slice(0, 3), `SVC_TEST_SEED=${seed}`).toEqual([])
  expect(seen.escapes).toBe(0)
  // A test in which a rule never decided would prove nothing about it.
  expect([...seen.byStep.keys()].sort()).toEqual([
    'account_role',
    'acting_principal',
    'agent_grant',
    'object_rule',
    'project_binding',
    'project_role',
    'token_binding',
  ])
  expect(Math.min(seen.allowed, seen.refused)).toBeGreaterThan(cases / 20)
})

function isWithinGrant(listed: 'all' | readonly string[] | undefined, action: string): boolean {
  if (listed === undefined || listed === 'all' || listed.includes('*') || action === 'project.read') return true
  const spelled = listed.map((name) => name.replace('project.cr.open', 'project.gitops.push'))
  return spelled.map((name) => name.replace('project.cr.merge', 'project.gitops.merge')).includes(action)
}
