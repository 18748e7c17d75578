import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPerson } from '../../../../tests/support/people.ts'
import { openRepository, readBranch } from '../git/index.ts'
import { type ProjectWorld, startProjectWorld } from '../projects/testing/project-world.ts'
import { type FakeGithub, startGithub } from './testing/start-github.ts'

const at = '/v1/projects/github'
const acme = { id: 70, account: { id: 500, login: 'acme', type: 'Organization' as const }, suspended_at: null }

let root: string
let github: FakeGithub
let world: ProjectWorld

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'svc-github-'))
  github = await startGithub(root)
  github.people.set('ghu_admin', { id: 1, login: 'octo', orgs: { acme: 'admin' } })
  github.people.set('ghu_member', { id: 2, login: 'mona', orgs: { acme: 'member' } })
  github.people.set('ghu_stranger', { id: 3, login: 'hubot', orgs: {} })
  github.installations.push({ ...acme })
  await github.addRepository('acme', 'widgets', { description: 'All our widgets' })
  await github.addRepository('elsewhere', 'secret')
  world = await startProjectWorld(github.env)
})
afterAll(async () => {
  await world?.stop()
  await github?.close()
  await rm(root, { recursive: true, force: true })
})

async function freshState(): Promise<string> {
  const { body } = await world.call('GET', `${at}/installation`)
  return new URL(body.install_url).searchParams.get('state') ?? ''
}

const save = (state: string, more: Record<string, unknown> = {}) =>
  world.call('POST', `${at}/installation`, { state, installation_id: 70, github_user_token: 'ghu_admin', ...more })

describe('before the app is installed', () => {
  test('the status says so, and gives those who may change the account a link to install it', async () => {
    const { status, body } = await world.call('GET', `${at}/installation`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ configured: true, installed: false, requires_installation: true, installations: [] })
    expect(body.install_url).toMatch(/\/apps\/acme-agents\/installations\/new\?state=/)
  })

  test('what needs an installation answers 409 with the link', async () => {
    const asked = [
      await world.call('GET', `${at}/repositories`),
      await world.call('GET', `${at}/repository-branches?repo_full_name=acme/widgets`),
      await world.call('POST', '/v1/projects/link-repository', { repo_full_name: 'acme/widgets' }),
      await world.call('POST', '/v1/projects', { repo_url: `${github.origin}/acme/widgets.git` }),
    ]
    for (const { status, body } of asked) {
      expect([status, body.code, typeof body.install_url]).toEqual([409, 'installation_required', 'string'])
    }
  })
})

describe('saving an installation', () => {
  test('is refused with a state that is forged, of somebody else or expired, and with a field missing', async () => {
    const state = await freshState()
    const [text = '', signature = ''] = state.split('.')
    const forged = JSON.parse(Buffer.from(text, 'base64url').toString())
    forged[2] += 1000
    const other = `${Buffer.from(JSON.stringify(forged)).toString('base64url')}.${signature}`
    for (const bad of [other, 'x', `${text}.`]) {
      const refused = await save(bad)
      expect([refused.status, refused.body.code]).toEqual([400, 'invalid_request'])
    }
    const somebody = await createPerson(world.platform)
    const stolen = await world.call(
      'POST',
      `${at}/installation`,
      { state, installation_id: 70, github_user_token: 'ghu_admin' },
      somebody,
    )
    expect([stolen.status, stolen.body.code]).toEqual([400, 'invalid_request'])
    expect((await world.call('POST', `${at}/installation`, { state, installation_id: 70 })).status).toBe(400)
  })

  test('is refused to a GitHub user who only belongs to the organisation, or sees nothing of it', async () => {
    const state = await freshState()
    for (const github_user_token of ['ghu_member', 'ghu_stranger', 'nonsense']) {
      const refused = await save(state, { github_user_token })
      expect([github_user_token, refused.status]).toEqual([github_user_token, 403])
    }
    const unknown = await save(state, { installation_id: '999' })
    expect([unknown.status, unknown.body.code]).toEqual([400, 'invalid_request'])
  })

  test('a fault of GitHub’s is 502 and leaves the state good; then it works once', async () => {
    const state = await freshState()
    github.state.failing = true
    const failed = await save(state)
    github.state.failing = false
    expect([failed.status, failed.body.code]).toEqual([502, 'github_unavailable'])
    const saved = await save(state)
    expect(saved.status).toBe(200)
    expect(saved.body).toMatchObject({
      installed: true,
      requires_installation: false,
      installation_id: '70',
      owner_login: 'acme',
      owner_type: 'Organization',
      repository_selection: 'all',
      permissions: { contents: 'write' },
    })
    const again = await save(state)
    expect([again.status, again.body.error]).toEqual([400, 'The state was used before.'])
  })

  test('ten savers of one state: one saves', async () => {
    const state = await freshState()
    const results = await Promise.all(Array.from({ length: 10 }, () => save(state)))
    expect(results.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(results.filter(({ status }) => status === 400)).toHaveLength(9)
  })

  test('one saved before is saved again with a new state, and there is still one', async () => {
    expect((await save(await freshState(), { installation_id: '70' })).status).toBe(200)
    const { body } = await world.call('GET', `${at}/installations`)
    expect(body.installations).toHaveLength(1)
    expect(body.installation_row_id).toBe(body.installations[0].installation_row_id)
  })
})

describe('with an installation', () => {
  test('repositories are those it reaches, searched and limited', async () => {
    for (let index = 0; index < 110; index += 1) {
      github.repositories.push({
        id: 5000 + index,
        owner: 'acme',
        name: `r${index}`,
        private: false,
        description: null,
      })
    }
    const all = await world.call('GET', `${at}/repositories`)
    expect(all.body).toMatchObject({ configured: true, installation_id: '70', owner_login: 'acme' })
    expect(all.body.repositories).toHaveLength(100)
    expect(all.body.repositories[0]).toMatchObject({ full_name: 'acme/widgets', description: 'All our widgets' })
    const names = (body: { repositories: { name: string }[] }) => body.repositories.map(({ name }) => name)
    expect(names((await world.call('GET', `${at}/repositories?search=WIDG`)).body)).toEqual(['widgets'])
    expect(names((await world.call('GET', `${at}/repositories?search=r109`)).body)).toEqual(['r109'])
    expect(names((await world.call('GET', `${at}/repositories?limit=3`)).body)).toHaveLength(3)
    for (const query of ['limit=0', 'limit=101', `search=${'x'.repeat(121)}`, 'installation_id=x']) {
      expect([query, (await world.call('GET', `${at}/repositories?${query}`)).status]).toEqual([query, 400])
    }
    expect((await world.call('GET', `${at}/repositories?installation_id=71`)).status).toBe(409)
    expect(JSON.stringify(all.body)).not.toContain('ghs_')
  })

  test('branches come whole, however many pages they take', async () => {
    const { status, body } = await world.call(
      'GET',
      `${at}/repository-branches?installation_id=70&repo_full_name=acme/widgets`,
    )
    expect([status, body.default_branch, body.branches.length]).toEqual([200, 'main', 121])
    expect(body.branches[0]).toEqual({ name: 'main', protected: true })
    const ask = (name: string) =>
      world.call('GET', `${at}/repository-branches?installation_id=70&repo_full_name=${name}`)
    for (const name of ['widgets', 'acme/', 'acme/..', 'elsewhere/secret', 'a/b/c']) {
      expect([name, (await ask(encodeURIComponent(name))).status]).toEqual([name, 400])
    }
    expect((await ask('acme/absent')).status).toBe(404)
  })

  test('a linked repository is a project like any other: read, pushed, merged, and no token is told or kept', async () => {
    const linked = await world.call('POST', '/v1/projects/link-repository', { repo_full_name: 'acme/widgets' })
    expect([linked.status, linked.body.error]).toEqual([201, undefined])
    expect(linked.body.git_connection).toMatchObject({
      provider: 'github',
      repo_owner: 'acme',
      repo_name: 'widgets',
      auth_method: 'app',
      installation_id: '70',
      visibility: 'private',
    })
    const { project_id } = linked.body.project
    const project = `/v1/projects/${project_id}`
    const file = await world.call('GET', `${project}/files/content?path=svc.yaml`)
    expect(file.body.content).toContain('svc_version: 2')
    const clone = await world.clone({ project_id }, world.owner.accessToken)
    const tip = await world.commitFile(clone, 'note.txt', 'hello\n')
    await world.runClient(clone, ['push', '-q', 'origin', 'HEAD:topic'])
    const there = openRepository(join(root, 'acme', 'widgets.git'))
    expect(await readBranch(there, 'topic')).toBe(tip)
    const opened = await world.call('POST', `${project}/change-requests`, { title: 'Topic', head_ref: 'topic' })
    expect((await world.call('POST', `${project}/change-requests/${opened.body.cr_id}/merge`)).status).toBe(200)
    expect(await readBranch(there, 'main')).toBe(tip)

    const credential = await world.call('PUT', `${project}/git-credential`, { token: 'x' })
    expect([credential.status, credential.body.code]).toEqual([409, 'git_credential_managed'])
    expect((await world.call('POST', `${project}/git-token`)).status).toBe(409)
    const rows = await world.platform.database.sql`select * from svc.repositories`
    const audit = await world.platform.database.sql`select * from svc.audit_events`
    const told = JSON.stringify([linked.body, rows, audit, world.platform.logLines()])
    for (const token of [...github.tokens.keys(), 'ghu_admin']) expect(told).not.toContain(token)
  })

  test('a repository it does not reach is 409, and a token of the caller’s needs no installation', async () => {
    const refused = await world.call('POST', '/v1/projects/link-repository', { repo_full_name: 'elsewhere/secret' })
    expect([refused.status, refused.body.code]).toEqual([409, 'installation_required'])
    github.repositories.push(
      { id: 8001, owner: 'acme', name: 'unselected', private: false, description: null },
      { id: 8002, owner: 'elsewhere', name: 'open', private: false, description: null },
    )
    for (const repo_full_name of ['acme/unselected', 'elsewhere/open']) {
      const reply = await world.call('POST', '/v1/projects/link-repository', { repo_full_name })
      expect([reply.status, reply.body.code, typeof reply.body.install_url]).toEqual([
        409,
        'installation_required',
        'string',
      ])
    }
    const linked = await world.call('POST', '/v1/projects/link-repository', {
      repo_url: `${github.origin}/elsewhere/secret.git`,
      github_token: 'ghp_personal',
    })
    expect(linked.body.git_connection).toMatchObject({
      provider: 'github',
      auth_method: 'token',
      installation_id: null,
    })
    for (const body of [{}, { repo_full_name: 'a/b', repo_url: 'https://x/y' }, { repo_full_name: 'nonsense' }]) {
      expect((await world.call('POST', '/v1/projects/link-repository', body)).status).toBe(400)
    }
  })

  test('projects.create takes the installation too', async () => {
    const made = await world.call('POST', '/v1/projects', {
      repo_url: `${github.origin}/acme/widgets`,
      installation_id: '70',
      name: 'Widgets again',
    })
    expect([made.status, made.body.name]).toEqual([201, 'Widgets again'])
  })

  test('a new repository is made there, seeded, and a taken name gets a number', async () => {
    const make = (more: Record<string, unknown> = {}) =>
      world.call('POST', '/v1/projects/create-repo', { name: 'widgets', installation_id: '70', ...more })
    const made = await make({ starter_template: 'minimal' })
    expect([made.status, made.body.name, made.body.error]).toEqual([201, 'widgets-2', undefined])
    const files = await world.call('GET', `/v1/projects/${made.body.project_id}/files`)
    expect(files.body.map(({ path }: { path: string }) => path)).toContain('svc.yaml')
    expect(await readBranch(openRepository(join(root, 'acme', 'widgets-2.git')), 'main')).not.toBeNull()
    expect((await make()).body.name).toBe('widgets-3')
    github.state.failing = true
    expect((await make()).status).toBe(502)
    github.state.failing = false
  })

  test('a forgotten installation reaches nothing from the next call on, and the project says why', async () => {
    const linked = await world.call('POST', '/v1/projects/link-repository', { repo_full_name: 'acme/widgets' })
    const project = `/v1/projects/${linked.body.project.project_id}`
    expect((await world.call('DELETE', `${at}/installation?installation_id=71`)).status).toBe(404)
    expect((await world.call('DELETE', `${at}/installation`)).body).toEqual({ ok: true })
    expect((await world.call('GET', `${at}/installations`)).body.installations).toEqual([])
    const read = await world.call('GET', `${project}/files`)
    expect([read.status, read.headers.get('x-svc-repo-status')]).toEqual([200, 'unavailable'])
    const { git_connection } = (await world.call('GET', `${project}/detail`)).body
    expect(git_connection).toMatchObject({ status: 'error', last_error_code: 'remote_unauthorized' })
  })
})

test('a member may neither see the install link nor save or forget an installation', async () => {
  const { account_id } = (await world.call('GET', `${at}/installation`)).body
  const member = await createPerson(world.platform)
  await world.platform.database.sql`
    insert into svc.assignments (assignment_id, account_id, principal_type, principal_id, role_id, scope_type, source)
    values (gen_random_uuid(), ${account_id}, 'user', ${member.userId}, 'builtin:member', 'account', 'system')`
  const asked = await world.call('GET', `${at}/installation?account_id=${account_id}`, undefined, member)
  const removed = await world.call('DELETE', `${at}/installation?account_id=${account_id}`, undefined, member)
  expect([asked.status, removed.status]).toEqual([403, 403])
  expect(asked.body.error).toBe('Owner or admin role required')
})

test('where no app is set up, reads say so and writes answer 501 with a next step', async () => {
  const bare = await startProjectWorld()
  try {
    for (const path of ['installation', 'installations', 'repositories', 'repository-branches?repo_full_name=a/b']) {
      const { status, body } = await bare.call('GET', `${at}/${path}`)
      expect([path, status, body.configured]).toEqual([path, 200, false])
    }
    const state = 'x'
    const writes = [
      await bare.call('POST', `${at}/installation`, { state, installation_id: 1, github_user_token: 'x' }),
      await bare.call('DELETE', `${at}/installation`),
      await bare.call('POST', '/v1/projects/link-repository', { repo_full_name: 'a/b' }),
    ]
    for (const { status, body } of writes) {
      expect([status, body.error]).toEqual([501, 'No GitHub app is set up on this instance.'])
      expect(body.next).toContain('SVC_GITHUB_APP_ID')
    }
    const made = await bare.call('POST', '/v1/projects/create-repo', { name: 'x', installation_id: '1' })
    expect(made.status).toBe(503)
    const created = await bare.call('POST', '/v1/projects', { repo_url: 'https://github.com/a/b' })
    expect([created.status, created.body]).toMatchObject([409, { code: 'installation_required', install_url: null }])
  } finally {
    await bare.stop()
  }
})
