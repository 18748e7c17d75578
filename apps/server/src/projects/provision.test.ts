import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ProjectWorld, startProjectWorld } from './testing/project-world.ts'

let world: ProjectWorld
beforeAll(async () => {
  world = await startProjectWorld()
})
afterAll(() => world?.stop())

const send = (body: Record<string, unknown>) => world.call('POST', '/v1/projects/provision', body)

async function repositories(): Promise<string[]> {
  const names = await readdir(join(world.platform.dataDir, 'repositories'))
  return names.filter((name) => name.includes('.git'))
}

describe('one key, one project', () => {
  test('a hundred calls at once with one key make one project and one repository', { timeout: 120_000 }, async () => {
    const before = (await repositories()).length
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, index) => send({ name: `Name ${index}`, idempotency_key: 'one-key' })),
    )
    const made = replies.filter(({ status }) => status === 201)
    expect(made.length).toBeGreaterThan(0)
    expect(new Set(made.map(({ body }) => body.project_id)).size).toBe(1)
    expect(made.filter(({ body }) => body.push_token !== null)).toHaveLength(1)
    for (const { status, body } of replies) {
      if (status !== 201) expect([status, body.code]).toEqual([409, 'provision_in_flight'])
    }
    expect((await repositories()).length).toBe(before + 1)
    const rows = await world.platform.database.sql<{ count: number }[]>`
      select count(*)::int as count from svc.projects where project_id = ${made[0]?.body.project_id}`
    expect(rows.map(({ count }) => count)).toEqual([1])
  })

  test('a repeat answers 201 with the first project, no push token, and ignores everything else it says', async () => {
    const first = await send({ name: 'First', idempotency_key: 'repeat' })
    expect(first.body.push_token).toMatch(/^svc_pat_/)
    expect(first.body.git_username).toBe('x-access-token')
    for (const body of [
      { name: 'Second', idempotency_key: 'repeat' },
      { name: 'not / valid', starter_template: 'nonsense', idempotency_key: 'repeat' },
      { idempotency_key: 'repeat' },
    ]) {
      const again = await send(body)
      expect(again.status).toBe(201)
      expect(again.body).toMatchObject({
        project_id: first.body.project_id,
        name: 'First',
        push_token: null,
        git_username: null,
        seeded: true,
      })
    }
  })

  test('without a key every call makes another project, of the same name too', async () => {
    const [one, two] = [await send({ name: 'Twin' }), await send({ name: 'Twin' })]
    expect([one.status, two.status]).toEqual([201, 201])
    expect(one.body.project_id).not.toBe(two.body.project_id)
  })

  test('a key belongs to its account: the same key elsewhere makes another project', async () => {
    const other = await world.call('POST', '/v1/accounts', { name: 'Elsewhere' })
    const [here, there] = [
      await send({ name: 'Here', idempotency_key: 'shared' }),
      await send({ name: 'There', idempotency_key: 'shared', account_id: other.body.account_id }),
    ]
    expect(there.body.account_id).toBe(other.body.account_id)
    expect(here.body.project_id).not.toBe(there.body.project_id)
  })

  test('an attempt that is under way answers 409; one whose time is over is taken over and cleaned up', async () => {
    const { sql } = world.platform.database
    const abandoned = '0190a1b2-0000-7000-8000-00000000dead'
    const accountId = (await world.call('GET', '/v1/projects')).body[0].account_id
    await sql`insert into svc.provision_attempts (attempt_id, account_id, idempotency_key, project_id, home, leased_until)
      values (gen_random_uuid(), ${accountId}, 'cut-off', ${abandoned}, 'elsewhere', now() + interval '1 minute')`
    const waiting = await send({ name: 'Waiting', idempotency_key: 'cut-off' })
    expect([waiting.status, waiting.body.code]).toEqual([409, 'provision_in_flight'])
    await sql`update svc.provision_attempts set leased_until = now() - interval '1 second' where project_id = ${abandoned}`
    const taken = await send({ name: 'Taken', idempotency_key: 'cut-off' })
    expect(taken.status).toBe(201)
    expect(taken.body.project_id).not.toBe(abandoned)
  })
})

describe('what a new project is', () => {
  test('a private repository with a valid starter, one commit by its maker, and a manager', async () => {
    const project = (await send({ name: 'Whole one' })).body
    const detail = (await world.call('GET', `/v1/projects/${project.project_id}/detail`)).body
    expect(detail.project).toMatchObject({ project_role: 'manager', effective_project_role: 'manager' })
    expect(detail.manifest_version).toEqual({
      version: 2,
      latest_version: 2,
      migration_offered: false,
      target_version: null,
      unknown_reason: null,
      path: 'svc.yaml',
    })
    expect(detail.config.default_agent).toBe('svc')
    expect(detail.config.agents.map(({ name }: { name: string }) => name)).toEqual(['svc', 'reviewer'])
    expect(detail.config.agents[1]).toMatchObject({
      source: 'svc.yaml',
      enabled: true,
      path: '.svc/opencode/agents/reviewer.md',
      scope: { env: [], connectors: [] },
    })
    expect(detail.config.skills.map(({ name }: { name: string }) => name)).toContain('pdf')
    expect(detail.file_count).toBe(detail.files.length)
    expect(detail.git_connection).toMatchObject({ provider: 'managed', visibility: 'private', status: 'active' })
    const commits = (await world.call('GET', `/v1/projects/${project.project_id}/commits`)).body.commits
    expect(commits).toHaveLength(1)
    expect(commits[0]).toMatchObject({ subject: 'Begin Whole one', author_email: world.owner.email })
  })

  test('without a starter the repository is empty and every read says so without failing', async () => {
    const { project_id, seeded, push_token } = (await send({ name: 'Empty', seed_starter: false })).body
    expect(seeded).toBe(false)
    const at = `/v1/projects/${project_id}`
    expect((await world.call('GET', `${at}/files`)).body).toEqual([])
    expect((await world.call('GET', `${at}/commits`)).body.commits).toEqual([])
    expect((await world.call('GET', `${at}/branches`)).body.branches).toEqual([])
    expect((await world.call('GET', `${at}/detail`)).body.manifest_version.unknown_reason).toBe('undeclared')
    expect((await world.call('GET', `${at}/files/content?path=svc.yaml`)).status).toBe(404)
    const set = await world.call('PUT', `${at}/default-agent`, { agent: 'svc' })
    expect([set.status, set.body.default_agent]).toEqual([200, 'svc'])
    const clone = await world.clone({ project_id }, push_token)
    expect(existsSync(join(clone, 'svc.yaml'))).toBe(true)
  })

  test('another default branch is the branch everything begins on', async () => {
    const { project_id, default_branch } = (await send({ name: 'Trunk', default_branch: 'trunk' })).body
    expect(default_branch).toBe('trunk')
    const { branches } = (await world.call('GET', `/v1/projects/${project_id}/branches`)).body
    expect(branches.map(({ name }: { name: string }) => name)).toEqual(['trunk'])
  })
})

describe('refusals', () => {
  test.each([
    ['a key with other characters', { name: 'x', idempotency_key: 'a b' }],
    ['a key that is too long', { name: 'x', idempotency_key: 'k'.repeat(201) }],
    ['a name with other characters', { name: 'a/b' }],
    ['a name that is too long', { name: 'x'.repeat(121) }],
    ['no name', {}],
    ['an unknown starter', { name: 'x', starter_template: 'nonsense' }],
    ['an unknown item', { name: 'x', marketplace_items: ['nobody/nothing'] }],
    ['an unknown source', { name: 'x', source_item_id: 'nobody/nothing' }],
    ['a branch nobody can have', { name: 'x', default_branch: 'a..b c' }],
  ])('400 for %s, and nothing is made', async (_what, body) => {
    const before = await repositories()
    const reply = await send(body)
    expect([reply.status, reply.body.code]).toEqual([400, 'validation_failed'])
    expect(await repositories()).toEqual(before)
  })

  test('a refused call frees its key', async () => {
    expect((await send({ name: 'a/b', idempotency_key: 'freed' })).status).toBe(400)
    expect((await send({ name: 'fine', idempotency_key: 'freed' })).status).toBe(201)
  })
})

test('createRepo keeps the name, numbers a taken one, and is empty unless a starter is named', async () => {
  const create = (body: Record<string, unknown>) => world.call('POST', '/v1/projects/create-repo', body)
  const one = await create({ name: 'tools' })
  const two = await create({ name: 'Tools', starter_template: 'minimal' })
  expect([one.status, one.body.name, two.body.name]).toEqual([201, 'tools', 'Tools-2'])
  expect((await world.call('GET', `/v1/projects/${one.body.project_id}/files`)).body).toEqual([])
  expect((await world.call('GET', `/v1/projects/${two.body.project_id}/files`)).body.length).toBeGreaterThan(5)
  expect((await create({ name: 'not good' })).status).toBe(400)
})
