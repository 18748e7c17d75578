import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPerson } from '../../../../tests/support/people.ts'
import { type ProjectWorld, startProjectWorld } from './testing/project-world.ts'

let world: ProjectWorld
beforeAll(async () => {
  world = await startProjectWorld()
})
afterAll(() => world?.stop())

describe('reading and changing', () => {
  test('lists what the caller may read, most recently changed first, and nobody else sees it', async () => {
    const [one, two] = [await world.provision({ name: 'One' }), await world.provision({ name: 'Two' })]
    await world.call('PATCH', `/v1/projects/${one.project_id}`, { name: 'One again' })
    const names = (await world.call('GET', '/v1/projects')).body.map(({ name }: { name: string }) => name)
    expect(names.slice(0, 2)).toEqual(['One again', 'Two'])
    const stranger = await createPerson(world.platform)
    expect((await world.call('GET', '/v1/projects', undefined, stranger)).body).toEqual([])
    const read = await world.call('GET', `/v1/projects/${two.project_id}`, undefined, stranger)
    expect([read.status, read.body.error]).toEqual([403, 'You do not have access to this project'])
    const absent = await world.call('GET', '/v1/projects/0190a1b2-0000-7000-8000-000000000000')
    expect(absent.status).toBe(404)
    expect((await world.call('GET', '/v1/projects/not-an-id')).status).toBe(404)
    const foreign = await world.call('GET', `/v1/projects?account_id=${two.account_id}`, undefined, stranger)
    expect(foreign.status).toBe(403)
  })

  test('update leaves absent and empty fields alone, and refuses a branch that is not there', async () => {
    const { project_id } = await world.provision({ name: 'Before' })
    const at = `/v1/projects/${project_id}`
    const named = await world.call('PATCH', at, { name: '', default_branch: '' })
    expect(named.body).toMatchObject({ name: 'Before', default_branch: 'main' })
    expect((await world.call('PATCH', at, { default_branch: 'absent' })).body.code).toBe('invalid_ref')
    const moved = await world.call('PATCH', at, { name: 'After', manifest_path: 'config/svc.yaml' })
    expect(moved.body).toMatchObject({ name: 'After', manifest_path: 'config/svc.yaml' })
    expect((await world.call('PATCH', at, { manifest_path: '../x' })).status).toBe(400)
    expect((await world.call('GET', at)).body.last_opened_at).not.toBeNull()
  })

  test('onboarding is noted and taken back', async () => {
    const { project_id } = await world.provision()
    const at = `/v1/projects/${project_id}/onboarding`
    const done = await world.call('PATCH', at, { completed: true })
    expect(done.body.metadata.onboarding_completed_at).toMatch(/^\d{4}-/)
    expect((await world.call('PATCH', at, { completed: false })).body.metadata).toEqual({})
  })

  test('an archived project is gone, its tokens end, and its repository stays unless it is purged', async () => {
    const [kept, purged] = [await world.provision(), await world.provision()]
    const path = (id: string) => join(world.platform.dataDir, 'repositories', `${id}.git`)
    const first = await world.call('DELETE', `/v1/projects/${kept.project_id}`)
    expect(first.body).toEqual({ ok: true, archived: true, repo_deleted: false })
    const second = await world.call('DELETE', `/v1/projects/${purged.project_id}?purge=true`)
    expect(second.body.repo_deleted).toBe(true)
    expect([existsSync(path(kept.project_id)), existsSync(path(purged.project_id))]).toEqual([true, false])
    expect((await world.call('GET', `/v1/projects/${kept.project_id}`)).status).toBe(404)
    const fetched = await world.tryClient(world.folder, ['ls-remote', world.remoteOf(kept.project_id, kept.push_token)])
    expect(fetched.code).not.toBe(0)
  })
})

describe('feature flags', () => {
  test('default, override, and back; the deprecated route is the same route', async () => {
    const { project_id } = await world.provision()
    const at = `/v1/projects/${project_id}`
    const before = (await world.call('GET', at)).body
    expect(before.experimental).toMatchObject({ marketplace: true, apps: false, secrets_egress: false })
    expect(before.experimental_features.map(({ key }: { key: string }) => key)).toEqual(
      Object.keys(before.experimental),
    )
    const on = await world.call('PATCH', `${at}/features`, { feature: 'apps', enabled: true })
    const view = on.body.experimental_features.find(({ key }: { key: string }) => key === 'apps')
    expect(view).toMatchObject({ enabled: true, overridden: true, available: true, stability: 'stable' })
    const off = await world.call('PATCH', `${at}/experimental`, { feature: 'apps', enabled: null })
    expect(off.body.experimental.apps).toBe(false)
    expect((await world.call('PATCH', `${at}/features`, { feature: 'nonsense', enabled: true })).status).toBe(400)
    expect((await world.call('PATCH', `${at}/features`, { feature: 'apps', enabled: 'yes' })).status).toBe(400)
    expect((await world.call('PATCH', `${at}/features`, [])).status).toBe(400)
  })

  test('two overrides at once are both kept', async () => {
    const { project_id } = await world.provision()
    const set = (feature: string) =>
      world.call('PATCH', `/v1/projects/${project_id}/features`, { feature, enabled: true })
    await Promise.all(['apps', 'email', 'teams', 'voice', 'secrets_egress'].map(set))
    const { experimental } = (await world.call('GET', `/v1/projects/${project_id}`)).body
    expect(experimental).toMatchObject({ apps: true, email: true, teams: true, voice: true, secrets_egress: true })
  })
})

describe('the manifest', () => {
  test('is checked without being written, valid or not', async () => {
    const { project_id } = await world.provision()
    const check = (body: unknown) => world.call('POST', `/v1/projects/${project_id}/manifest/validate`, body)
    expect((await check({ raw: 'svc_version: 1\n' })).body).toEqual({ valid: true, issues: [] })
    const wrong = await check({ raw: 'svc_version: 2\nagents: {}\n' })
    expect([wrong.status, wrong.body.valid]).toEqual([200, false])
    expect(wrong.body.issues[0]).toMatchObject({ severity: 'error', line: expect.any(Number) })
    expect((await check({ raw: 'svc_version = 1\n', format: 'toml' })).body.valid).toBe(true)
    expect((await check({})).status).toBe(400)
  })

  test('setDefaultAgent is one commit that keeps comments, and refuses what cannot be', async () => {
    const { project_id } = await world.provision()
    const at = `/v1/projects/${project_id}`
    const set = (agent: string) => world.call('PUT', `${at}/default-agent`, { agent })
    expect((await set('reviewer')).body).toEqual({ ok: true, default_agent: 'reviewer' })
    const manifest = (await world.call('GET', `${at}/files/content?path=svc.yaml`)).body.content
    expect(manifest).toContain('default_agent: reviewer')
    expect(manifest).toContain('# The agent that new sessions use.')
    const commits = (await world.call('GET', `${at}/commits`)).body.commits
    expect(commits.map(({ subject }: { subject: string }) => subject)[0]).toBe('Make reviewer the default agent')
    expect(commits).toHaveLength(2)
    const absent = await set('nobody')
    expect([absent.status, absent.body.code, absent.body.issues[0].path]).toEqual([
      400,
      'invalid_config',
      'default_agent',
    ])
    expect((await set('reviewer')).status).toBe(200)
    expect((await world.call('GET', `${at}/commits`)).body.commits).toHaveLength(2)
  })

  test('setAgentScope writes secrets and connectors, and says what the agent may use', async () => {
    const { project_id } = await world.provision()
    const set = (agent: string, scope: unknown) =>
      world.call('PUT', `/v1/projects/${project_id}/agents/${agent}/scope`, scope)
    const done = await set('reviewer', { env: ['TOKEN'], connectors: 'all', connectors_required: [] })
    expect(done.body).toEqual({
      ok: true,
      agent: 'reviewer',
      env: ['TOKEN'],
      connectors: 'all',
      connectors_required: [],
    })
    expect((await set('reviewer', { env: [] })).body.env).toEqual([])
    expect((await set('reviewer', {})).body.code).toBe('nothing_to_update')
    expect((await set('nobody', { env: 'all' })).body.code).toBe('agent_not_found')
    const apart = await set('reviewer', { connectors_required: ['a'], connectors_personal: ['b'] })
    expect(apart.status).toBe(400)
  })

  test('a manifest that would not be valid, or cannot be read, is not written', async () => {
    const { project_id, push_token } = await world.provision()
    const at = `/v1/projects/${project_id}`
    const clone = await world.clone({ project_id }, push_token)
    const set = () => world.call('PUT', `${at}/agents/svc/scope`, { env: 'all' })
    for (const [branch, manifest, code] of [
      ['invalid', 'svc_version: 2\ndefault_agent: svc\nagents:\n  svc: {}\ntriggers: nonsense\n', 'invalid_scope'],
      ['unreadable', 'svc_version: [', 'manifest_read'],
      ['old', 'svc_version: 1\n', 'agent_not_found'],
    ] as const) {
      await world.runClient(clone, ['checkout', '-q', '-b', branch, 'origin/main'])
      const tip = await world.commitFile(clone, 'svc.yaml', manifest)
      await world.runClient(clone, ['push', '-q', 'origin', branch])
      expect((await world.call('PATCH', at, { default_branch: branch })).status).toBe(200)
      expect([branch, (await set()).body.code]).toEqual([branch, code])
      const { branches } = (await world.call('GET', `${at}/branches`)).body
      expect(branches[0]).toMatchObject({ name: branch, is_default: true, tip })
    }
    const fresh = await world.clone({ project_id }, push_token)
    expect(await world.runClient(fresh, ['branch', '--show-current'])).toBe('old')
    const detail = (await world.call('GET', `${at}/detail`)).body
    expect(detail.manifest_version).toMatchObject({ version: 1, migration_offered: true, target_version: 2 })
    const inOld = await world.call('PUT', `${at}/default-agent`, { agent: 'svc' })
    expect([inOld.status, inOld.body.code]).toEqual([400, 'invalid_config'])
  })

  test('twenty edits at once: every accepted one is in the manifest', { timeout: 120_000 }, async () => {
    const { project_id, push_token } = await world.provision()
    const at = `/v1/projects/${project_id}`
    const clone = await world.clone({ project_id }, push_token)
    const agents = Array.from({ length: 20 }, (_, index) => `  agent-${index}:\n    secrets: none\n`).join('')
    await world.commitFile(clone, 'svc.yaml', `svc_version: 2\ndefault_agent: agent-0\nagents:\n${agents}`)
    await world.runClient(clone, ['push', '-q', 'origin', 'main'])
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        world.call('PUT', `${at}/agents/agent-${index}/scope`, { env: [`SECRET_${index}`] }),
      ),
    )
    const { content } = (await world.call('GET', `${at}/files/content?path=svc.yaml`)).body
    for (const [index, { status }] of replies.entries()) {
      expect([200, 409]).toContain(status)
      if (status === 200) expect(content).toContain(`[SECRET_${index}]`)
    }
    expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
  })
})

describe('git tokens', () => {
  test('a minted token clones and pushes this project and can do nothing else', async () => {
    const { project_id } = await world.provision()
    const other = await world.provision()
    const minted = await world.call('POST', `/v1/projects/${project_id}/git-token`)
    expect(minted.body).toMatchObject({ git_username: 'x-access-token', repo_id: project_id })
    const token = { token: minted.body.push_token }
    const clone = await world.clone({ project_id }, token.token)
    await world.commitFile(clone, 'a.txt', 'a\n')
    await world.runClient(clone, ['push', '-q', 'origin', 'main'])
    const tried = [
      await world.call('PATCH', `/v1/projects/${project_id}`, { name: 'x' }, token),
      await world.call('DELETE', `/v1/projects/${project_id}`, undefined, token),
      await world.call('POST', `/v1/projects/${project_id}/git-token`, undefined, token),
      await world.call('GET', '/v1/projects', undefined, token),
      await world.call('GET', `/v1/projects/${other.project_id}`, undefined, token),
    ]
    expect(tried.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
    const foreign = await world.tryClient(world.folder, ['ls-remote', world.remoteOf(other.project_id, token.token)])
    expect(foreign.code).not.toBe(0)
  })

  test('one that a session mints is bound to the session’s branch as the session itself is', async () => {
    const project = await world.provision()
    const agent = await world.sessionToken(project, { svc_cli: ['project.gitops.push', 'project.gitops.read'] })
    const minted = await world.call('POST', `/v1/projects/${project.project_id}/git-token`, undefined, agent)
    expect(minted.status).toBe(200)
    const clone = await world.clone(project, minted.body.push_token)
    await world.commitFile(clone, 'a.txt', 'a\n')
    const push = (ref: string) => world.tryClient(clone, ['push', '-q', 'origin', `HEAD:${ref}`])
    expect((await push(agent.sessionId)).code).toBe(0)
    expect([(await push('main')).code, (await push('other')).code]).toEqual([1, 1])
  })

  test('a session gets what its sandbox clones with: its own access to git and no more; nobody else gets it', async () => {
    const project = await world.provision({ starter_template: 'minimal' })
    const at = `/v1/projects/${project.project_id}/git/clone-credential`
    const readOnly = await world.sessionToken(project, { svc_cli: ['project.gitops.read'] })
    const { status, body } = await world.call('GET', at, undefined, readOnly)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      repo_url: project.git_origin_url,
      auth: { username: 'x-access-token', type: 'basic' },
      source: 'managed',
      expires_at: expect.any(String),
    })
    const clone = await world.clone(project, body.auth.token)
    await world.commitFile(clone, 'a.txt', '1\n')
    const own = `HEAD:${readOnly.sessionId}`
    expect((await world.tryClient(clone, ['push', '-q', 'origin', own])).code).not.toBe(0)
    const read = await world.call('GET', `/v1/projects/${project.project_id}/secrets`, undefined, {
      token: body.auth.token,
    })
    expect(read.status).toBe(403)

    const writer = await world.sessionToken(project)
    const whole = (await world.call('GET', at, undefined, writer)).body
    const remote = world.remoteOf(project.project_id, whole.auth.token)
    expect((await world.tryClient(clone, ['push', '-q', remote, `HEAD:${writer.sessionId}`])).code).toBe(0)
    expect((await world.tryClient(clone, ['push', '-q', remote, 'HEAD:main'])).code).not.toBe(0)
    for (const as of [world.owner, { token: project.push_token }]) {
      expect((await world.call('GET', at, undefined, as)).status).toBe(403)
    }
  })
})
