import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ProjectWorld, startProjectWorld } from '../../projects/testing/project-world.ts'

let world: ProjectWorld
beforeAll(async () => {
  world = await startProjectWorld()
})
afterAll(() => world?.stop())

async function prepare() {
  const project = await world.provision({ starter_template: 'minimal' })
  const clone = await world.clone(project, project.push_token)
  return { project, clone, at: `/v1/projects/${project.project_id}` }
}

async function push(clone: string, ...args: string[]) {
  return world.tryClient(clone, ['push', '-q', 'origin', ...args])
}

describe('who gets in', () => {
  test('Basic and Bearer both work, the .git suffix is optional, and a stranger is asked for a password', async () => {
    const { project } = await prepare()
    const url = `${world.platform.url}/v1/git/${project.project_id}`
    const refs = (path: string, authorization?: string) =>
      fetch(`${path}/info/refs?service=git-upload-pack`, { headers: authorization ? { authorization } : {} })
    const bearer = await refs(`${url}.git`, `Bearer ${project.push_token}`)
    expect([bearer.status, bearer.headers.get('content-type')]).toEqual([
      200,
      'application/x-git-upload-pack-advertisement',
    ])
    expect((await refs(url, `Bearer ${world.owner.accessToken}`)).status).toBe(200)
    const stranger = await refs(`${url}.git`)
    expect([stranger.status, stranger.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="git"'])
    expect((await refs(`${url}.git`, 'Bearer svc_pat_nonsense')).status).toBe(401)
    const unknown = `${world.platform.url}/v1/git/0190a1b2-0000-7000-8000-000000000000.git`
    expect((await refs(unknown, `Bearer ${world.owner.accessToken}`)).status).toBe(404)
    expect((await refs(`${world.platform.url}/v1/git/nonsense.git`, `Bearer ${world.owner.accessToken}`)).status).toBe(
      404,
    )
  })

  test('an agent without repository access gets no part of it', async () => {
    const { project, clone, at } = await prepare()
    const manifest =
      'svc_version: 2\ndefault_agent: svc\nagents:\n  svc:\n    svc_cli: all\n    repository_access: false\n'
    await world.commitFile(clone, 'svc.yaml', manifest)
    expect((await push(clone, 'main')).code).toBe(0)
    const agent = await world.sessionToken(project)
    expect((await world.call('GET', `${at}/files`, undefined, agent)).status).toBe(403)
    expect((await world.call('GET', `${at}/commits`, undefined, agent)).status).toBe(403)
    const cloned = await world.tryClient(world.folder, ['ls-remote', world.remoteOf(project.project_id, agent.token)])
    expect(cloned.stderr).toContain('403')
  })
})

describe('what may be pushed', () => {
  test('a session pushes its own branch, and neither the default branch nor another', async () => {
    const { project } = await prepare()
    const narrow = await world.sessionToken(project, { svc_cli: ['project.gitops.read', 'project.gitops.push'] })
    const clone = await world.clone(project, narrow.token)
    await world.commitFile(clone, 'work.txt', 'work\n')
    expect((await push(clone, `HEAD:${narrow.sessionId}`)).code).toBe(0)
    const toMain = await push(clone, 'HEAD:main')
    expect([toMain.code, toMain.stderr]).toEqual([1, expect.stringContaining('through a change request')])
    const toOther = await push(clone, 'HEAD:other')
    expect([toOther.code, toOther.stderr]).toEqual([1, expect.stringContaining('project.gitops.ref.any')])
    const deleted = await push(clone, `:${narrow.sessionId}`)
    expect([deleted.code, deleted.stderr]).toEqual([1, expect.stringContaining('project.gitops.ref.delete')])
  })

  test('a session with every permission pushes other branches, deletes them, and still not the default one', async () => {
    const { project } = await prepare()
    const wide = await world.sessionToken(project, { svc_cli: 'all' })
    const clone = await world.clone(project, wide.token)
    await world.commitFile(clone, 'work.txt', 'work\n')
    expect((await push(clone, 'HEAD:other')).code).toBe(0)
    expect((await push(clone, ':other')).code).toBe(0)
    expect((await push(clone, 'HEAD:main')).code).toBe(1)
  })

  test('the default branch is never deleted, and a push token cannot leave its commits behind', async () => {
    const { project, clone } = await prepare()
    const deleted = await push(clone, ':main')
    expect([deleted.code, deleted.stderr]).toEqual([1, expect.stringContaining('cannot be deleted')])
    await world.commitFile(clone, 'a.txt', '1\n')
    expect((await push(clone, 'main')).code).toBe(0)
    await world.runClient(clone, ['reset', '-q', '--hard', 'HEAD~1'])
    await world.commitFile(clone, 'b.txt', '2\n')
    const forced = await push(clone, '--force', 'main')
    expect([forced.code, forced.stderr]).toEqual([1, expect.stringContaining('leaving commits behind')])
    await world.runClient(clone, [
      'remote',
      'set-url',
      'origin',
      world.remoteOf(project.project_id, world.owner.accessToken),
    ])
    expect((await push(clone, '--force', 'main')).code).toBe(0)
  })

  test('a manifest that is not valid does not reach the default branch, and the pusher reads why and where', async () => {
    const { clone } = await prepare()
    await world.commitFile(clone, 'svc.yaml', 'svc_version: 2\ndefault_agent: nobody\nagents: {}\n')
    const pushed = await push(clone, 'main')
    expect(pushed.code).toBe(1)
    expect(pushed.stderr).toContain('svc.yaml would not be valid')
    expect(pushed.stderr).toMatch(/line \d+:\d+/)
    expect((await push(clone, 'HEAD:draft')).code).toBe(0)
  })

  test('of a push of several branches, those that may move do', async () => {
    const { clone, at } = await prepare()
    await world.commitFile(clone, 'svc.yaml', 'svc_version: nonsense\n')
    const pushed = await push(clone, 'main', 'HEAD:fine')
    expect(pushed.code).toBe(1)
    const { branches } = (await world.call('GET', `${at}/branches`)).body
    expect(branches.map(({ name }: { name: string }) => name)).toEqual(['main', 'fine'])
  })

  test('a large push streams through and comes back whole', async () => {
    const { project, clone } = await prepare()
    const noise = Array.from({ length: 200_000 }, (_, index) => `${index * 7919}`).join('\n')
    await writeFile(join(clone, 'big.txt'), noise)
    await world.commitFile(clone, 'small.txt', 'x\n')
    expect((await push(clone, 'main')).code).toBe(0)
    const again = await world.clone(project, project.push_token)
    expect(await world.runClient(again, ['hash-object', 'big.txt'])).toBe(
      await world.runClient(clone, ['hash-object', 'big.txt']),
    )
  })

  test('a push is in the audit log and announced', async () => {
    const { project, clone } = await prepare()
    await world.commitFile(clone, 'a.txt', '1\n')
    await push(clone, 'main')
    const rows = await world.platform.database.sql<{ metadata: { ref_count: number } }[]>`
      select metadata from svc.audit_events where project_id = ${project.project_id} and action = 'repository.push'`
    expect(rows.map(({ metadata }) => metadata.ref_count)).toEqual([1])
  })
})
