import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commitFiles, type Repository, readBranch } from '../../git/index.ts'
import { ada, makeRepository } from '../../git/testing/make-repository.ts'
import { type ForeignHost, startForeignHost } from '../../git/testing/start-foreign-host.ts'
import { type ProjectWorld, startProjectWorld } from '../../projects/testing/project-world.ts'

/** A project whose repository lives on another host: `git http-backend` behind TLS and a password. */

const password = 'a-token-that-must-not-leak'

let world: ProjectWorld
let foreign: Repository
let host: ForeignHost
let url: string
let projectId: string
let at: string

beforeAll(async () => {
  const made = await makeRepository()
  foreign = made.repository
  host = await startForeignHost(made.scratch, (given) => given === password)
  url = `${host.origin}/repo.git`
  await changeThere('svc.yaml', 'svc_version: 2\ndefault_agent: svc\nagents:\n  svc:\n    svc_cli: all\n')
  const env = { SVC_GIT_CA_FILE: host.caFile, SVC_ALLOW_PRIVATE_HOSTS: 'localhost,127.0.0.1,::1' }
  world = await startProjectWorld(env)
})
afterAll(async () => {
  await host?.close()
  await world?.stop()
})

async function changeThere(path: string, content: string): Promise<string> {
  const tip = await readBranch(foreign, 'main')
  const { commit } = await commitFiles(foreign, {
    branch: 'main',
    expectedParent: tip,
    changes: [{ path, content }],
    message: `Change ${path}`,
    author: ada,
  })
  return commit
}

const create = (body: Record<string, unknown>) => world.call('POST', '/v1/projects', body)

describe('a repository on another host', () => {
  test('is refused when its address or credential does not work, and says why', async () => {
    const wrong = await create({ repo_url: url, git_token: 'wrong' })
    expect([wrong.status, wrong.body.code]).toEqual([400, 'invalid_repository'])
    for (const repo_url of ['http://localhost/x.git', 'file:///etc', 'ext::sh -c id', '/tmp/x', 'https://u:p@h/x']) {
      expect([repo_url, (await create({ repo_url })).body.code]).toEqual([repo_url, 'invalid_repository'])
    }
    const absent = await create({ repo_url: url, git_token: password, default_branch: 'absent' })
    expect(absent.status).toBe(400)
    expect((await world.call('GET', '/v1/projects')).body).toEqual([])
  })

  test('becomes a project that reads as any other, with its credential shown nowhere', async () => {
    const made = await create({ repo_url: url, git_token: password })
    expect([made.status, made.body.error]).toEqual([201, undefined])
    projectId = made.body.project_id
    at = `/v1/projects/${projectId}`
    expect(made.body).toMatchObject({
      name: 'repo',
      repo_url: url,
      git_origin_url: `${world.platform.url}/v1/git/${projectId}.git`,
    })
    const detail = await world.call('GET', `${at}/detail`)
    expect(detail.body.git_connection).toMatchObject({ provider: 'git', auth_method: 'token', status: 'active' })
    expect(detail.body.config.default_agent).toBe('svc')
    const [row] = await world.platform.database.sql`select * from svc.repositories where project_id = ${projectId}`
    const told = JSON.stringify([made.body, detail.body, row, world.platform.logLines()])
    expect(told).not.toContain(password)
    const token = await world.call('POST', `${at}/git-token`)
    expect([token.status, token.body.code]).toEqual([409, 'bring_your_own_repository'])
  })

  test('a push through the platform arrives there, and one it refuses does not', async () => {
    const clone = await world.clone({ project_id: projectId }, world.owner.accessToken)
    const tip = await world.commitFile(clone, 'here.txt', 'from here\n')
    await world.runClient(clone, ['push', '-q', 'origin', 'HEAD:topic'])
    expect(await readBranch(foreign, 'topic')).toBe(tip)
    await world.commitFile(clone, 'svc.yaml', 'svc_version: nonsense\n')
    expect((await world.tryClient(clone, ['push', '-q', 'origin', 'HEAD:main'])).code).toBe(1)
    expect(await readBranch(foreign, 'main')).not.toBe(await world.runClient(clone, ['rev-parse', 'HEAD']))
  })

  test('a change request merges there', async () => {
    const opened = await world.call('POST', `${at}/change-requests`, { title: 'Topic', head_ref: 'topic' })
    const merged = await world.call('POST', `${at}/change-requests/${opened.body.cr_id}/merge`, {})
    expect([merged.status, merged.body.error]).toEqual([200, undefined])
    expect(await readBranch(foreign, 'main')).toBe(merged.body.merge.base_sha_after)
  })

  test('a manifest edit is committed there', async () => {
    const set = await world.call('PUT', `${at}/agents/svc/scope`, { env: ['TOKEN'] })
    expect([set.status, set.body.error]).toEqual([200, undefined])
    const { body } = await world.call('GET', `${at}/branches`)
    expect(await readBranch(foreign, 'main')).toBe(body.branches[0].tip)
  })

  test('what is pushed there shows here a few seconds later', async () => {
    await changeThere('there.txt', 'from there\n')
    const read = async () => (await world.call('GET', `${at}/files/content?path=there.txt`)).body.content
    await expect.poll(read).toBe('from there\n')
  })

  test('a host that is gone leaves what was read last, and says so', async () => {
    await host.close()
    // What was read a moment ago is still shown.
    const repositoryState = async () => (await world.call('GET', `${at}/files`)).headers.get('x-svc-repo-status')
    await expect.poll(repositoryState).toBe('unavailable')
    expect((await world.call('GET', `${at}/files`)).status).toBe(200)
    const detail = await world.call('GET', `${at}/detail`)
    expect(detail.headers.get('x-svc-repo-status')).toBe('unavailable')
    const edited = await world.call('PUT', `${at}/default-agent`, { agent: 'svc' })
    expect([edited.status, edited.body.code]).toEqual([502, 'repository_unavailable'])
    const cloned = await world.tryClient(world.folder, [
      'ls-remote',
      world.remoteOf(projectId, world.owner.accessToken),
    ])
    expect(cloned.stderr).toContain('502')
  })
})

test('private addresses are not dialled unless the operator allows them', async () => {
  const strict = await startProjectWorld()
  try {
    for (const repo_url of [
      'https://127.0.0.1:8443/x.git',
      'https://169.254.169.254/x.git',
      'ssh://git@10.0.0.1/x.git',
    ]) {
      const refused = await strict.call('POST', '/v1/projects', { repo_url })
      expect([repo_url, refused.status, refused.body.code]).toEqual([repo_url, 400, 'invalid_repository'])
    }
  } finally {
    await strict.stop()
  }
})
