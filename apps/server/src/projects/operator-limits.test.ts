import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPerson } from '../../../../tests/support/people.ts'
import { type ProjectWorld, startProjectWorld } from './testing/project-world.ts'

/** What the operator's settings limit, seen from outside. */

let world: ProjectWorld
beforeAll(async () => {
  world = await startProjectWorld({
    SVC_PROJECT_LIMIT: '2',
    SVC_REPOSITORY_QUOTA_MB: '1',
    SVC_LLM_GATEWAY: 'off',
    SVC_SANDBOX_PROVIDERS: 'local',
  })
})
afterAll(() => world?.stop())

describe('projects of an account', () => {
  test('ten calls at once for two places make two projects; an archived one makes room', async () => {
    const person = await createPerson(world.platform)
    const make = () => world.call('POST', '/v1/projects/provision', { name: 'P', starter_template: 'minimal' }, person)
    const results = await Promise.all(Array.from({ length: 10 }, make))
    const made = results.filter(({ status }) => status === 201)
    expect(made).toHaveLength(2)
    for (const { status, body } of results.filter((result) => !made.includes(result))) {
      expect([status, body.code, body.limit, body.count]).toEqual([403, 'project_limit_reached', 2, 2])
    }
    expect((await world.call('GET', '/v1/projects', undefined, person)).body).toHaveLength(2)
    await world.call('DELETE', `/v1/projects/${made[0]?.body.project_id}`, undefined, person)
    expect((await make()).status).toBe(201)
    const named = await world.call('POST', '/v1/projects/create-repo', { name: 'x' }, person)
    expect(named.body.code).toBe('project_limit_reached')
  })
})

describe('the quota of a repository', () => {
  test('a push that unpacks past it is refused in words and nothing of it stays; a small one passes', async () => {
    const project = await world.provision({ starter_template: 'minimal' })
    const clone = await world.clone(project, project.push_token)
    for (const content of [randomBytes(3_000_000), Buffer.alloc(30_000_000)]) {
      await writeFile(join(clone, 'large.bin'), content)
      await world.runClient(clone, ['add', '.'])
      await world.runClient(clone, ['commit', '-q', '-m', 'Large'])
      const { code, stderr } = await world.tryClient(clone, ['push', 'origin', 'HEAD:large'])
      expect(code).toBe(1)
      expect(stderr).toMatch(/more than the \d+ bytes that are left of the quota/)
      await world.runClient(clone, ['reset', '-q', '--hard', 'HEAD~1'])
    }
    await world.commitFile(clone, 'small.txt', 'small\n')
    await world.runClient(clone, ['push', '-q', 'origin', 'HEAD:small'])
    const { body } = await world.call('GET', `/v1/projects/${project.project_id}/branches`)
    expect(body.branches.map(({ name }: { name: string }) => name).sort()).toEqual(['main', 'small'])
  })
})

test('the gateway’s flag begins as the operator says, and a project may choose', async () => {
  const [project] = (await world.call('GET', '/v1/projects')).body
  expect(project.experimental).toMatchObject({ llm_gateway: false, monitors: true })
  expect(project.available_sandbox_providers).toEqual(['local'])
  const at = `/v1/projects/${project.project_id}/features`
  const on = await world.call('PATCH', at, { feature: 'llm_gateway', enabled: true })
  expect(on.body.experimental.llm_gateway).toBe(true)
})

test('a gateway that the operator switched off is available to no project', async () => {
  const other = await startProjectWorld({ SVC_LLM_GATEWAY: 'unavailable' })
  try {
    const { project_id } = await other.provision({ starter_template: 'minimal' })
    const at = `/v1/projects/${project_id}/features`
    const { body } = await other.call('PATCH', at, { feature: 'llm_gateway', enabled: true })
    const flag = body.experimental_features.find(({ key }: { key: string }) => key === 'llm_gateway')
    expect(flag).toMatchObject({ available: false, enabled: false, overridden: true })
  } finally {
    await other.stop()
  }
})
