import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Repository, readBranch } from '../../git/index.ts'
import { makeRepository } from '../../git/testing/make-repository.ts'
import { findSshd, type SshHost, startSshd } from '../../git/testing/start-sshd.ts'
import { type ProjectWorld, startProjectWorld } from '../../projects/testing/project-world.ts'

/** A project whose repository lives on a real ssh host. */

const sshd = findSshd()
if (!sshd)
  console.warn('skipped: repositories over ssh (sshd is not installed; on Debian: apt-get install openssh-server)')

const manifest = 'svc_version: 2\ndefault_agent: svc\nagents:\n  svc:\n    svc_cli: all\n'

describe.skipIf(!sshd)('a repository on an ssh host', () => {
  let world: ProjectWorld
  let foreign: Repository
  let host: SshHost
  let url: string
  let at: string
  let projectId: string

  beforeAll(async () => {
    const made = await makeRepository([{ path: 'svc.yaml', content: manifest }])
    foreign = made.repository
    host = await startSshd(sshd ?? '', made.scratch)
    url = `${host.origin}${foreign.path}`
    world = await startProjectWorld({ SVC_ALLOW_PRIVATE_HOSTS: 'localhost,127.0.0.1,::1' })
  })
  afterAll(async () => {
    await host?.close()
    await world?.stop()
  })

  const create = (body: Record<string, unknown>) => world.call('POST', '/v1/projects', body)

  test('is refused without a key, and with one that the host does not know', async () => {
    const without = await create({ repo_url: url })
    expect([without.status, without.body.code]).toEqual([400, 'invalid_repository'])
    const wrong = await create({ repo_url: url, git_token: 'not a key' })
    expect([wrong.status, wrong.body.code]).toEqual([400, 'invalid_repository'])
    expect((await world.call('GET', '/v1/projects')).body).toEqual([])
  })

  test('becomes a project by its key, which is shown nowhere, and the host’s own key is pinned', async () => {
    const made = await create({ repo_url: url, git_token: host.privateKey })
    expect([made.status, made.body.error]).toEqual([201, undefined])
    projectId = made.body.project_id
    at = `/v1/projects/${projectId}`
    const detail = await world.call('GET', `${at}/detail`)
    expect(detail.body.git_connection).toMatchObject({ auth_method: 'ssh_key', status: 'active' })
    expect(detail.body.config.default_agent).toBe('svc')
    const pinned = await readFile(join(world.platform.dataDir, 'known-git-hosts'), 'utf8')
    expect(pinned).toContain(host.hostKey())
    const rows = await world.platform.database.sql`select * from svc.repositories`
    const secret = host.privateKey.split('\n')[2] ?? ''
    expect(JSON.stringify([made.body, detail.body, rows, world.platform.logLines()])).not.toContain(secret)
  })

  test('a push, a merge and a manifest edit arrive there', async () => {
    const clone = await world.clone({ project_id: projectId }, world.owner.accessToken)
    const tip = await world.commitFile(clone, 'here.txt', 'from here\n')
    await world.runClient(clone, ['push', '-q', 'origin', 'HEAD:topic'])
    expect(await readBranch(foreign, 'topic')).toBe(tip)
    const opened = await world.call('POST', `${at}/change-requests`, { title: 'Topic', head_ref: 'topic' })
    expect((await world.call('POST', `${at}/change-requests/${opened.body.cr_id}/merge`)).status).toBe(200)
    expect(await readBranch(foreign, 'main')).toBe(tip)
    expect((await world.call('PUT', `${at}/agents/svc/scope`, { env: ['TOKEN'] })).status).toBe(200)
    expect(await readBranch(foreign, 'main')).not.toBe(tip)
  })

  test('a host that shows another key is not spoken to any more, and the project says why', async () => {
    await host.changeHostKey()
    // What was read a moment ago is still shown.
    const repositoryState = async () => (await world.call('GET', `${at}/files`)).headers.get('x-svc-repo-status')
    await expect.poll(repositoryState).toBe('unavailable')
    expect((await world.call('GET', `${at}/files`)).status).toBe(200)
    const { git_connection } = (await world.call('GET', `${at}/detail`)).body
    expect(git_connection).toMatchObject({ status: 'error', last_error_code: 'host_key_changed' })
    const pinned = await readFile(join(world.platform.dataDir, 'known-git-hosts'), 'utf8')
    expect(pinned).not.toContain(host.hostKey())
  })
})
