import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPerson, type Person } from '../../../../../tests/support/people.ts'
import { newId } from '../../kernel/ids/index.ts'
import { type ProjectWorld, startProjectWorld } from '../../projects/testing/project-world.ts'

let world: ProjectWorld
let at: string
let project: { project_id: string; account_id: string; push_token: string }
let clone: string
beforeAll(async () => {
  world = await startProjectWorld()
  project = await world.provision({ starter_template: 'minimal' })
  at = `/v1/projects/${project.project_id}`
  clone = await world.clone(project, project.push_token)
  await mkdir(join(clone, 'docs'))
  await world.commitFile(clone, 'docs/guide.md', '# Guide\nThe answer is 42.\n')
  await world.runClient(clone, ['mv', 'docs/guide.md', 'docs/manual.md'])
  await world.runClient(clone, ['commit', '-q', '-m', 'Rename the guide'])
  await world.runClient(clone, ['push', '-q', 'origin', 'main'])
  await world.runClient(clone, ['checkout', '-q', '-b', 'side'])
  await world.commitFile(clone, 'side.txt', 'side\n')
  await world.runClient(clone, ['push', '-q', 'origin', 'side'])
})
afterAll(() => world?.stop())

const get = (path: string, as?: Person | { token: string }) => world.call('GET', `${at}${path}`, undefined, as)

describe('files', () => {
  test('are listed of any ref and below any folder', async () => {
    const all = (await get('/files')).body
    expect(all).toContainEqual({ path: 'docs/manual.md', type: 'file', size: 26 })
    expect((await get('/files?path=docs')).body.map(({ path }: { path: string }) => path)).toEqual(['docs/manual.md'])
    expect((await get('/files?ref=side')).body).toHaveLength(all.length + 1)
    expect((await get('/files?path=absent')).status).toBe(404)
    expect((await get('/files?ref=absent')).body.code).toBe('invalid_ref')
    expect((await get('/files?ref=..%2Fx')).status).toBe(400)
  })

  test('answer 304 while they are unchanged', async () => {
    for (const path of ['/files', '/files/content?path=docs/manual.md', '/commits']) {
      const first = await get(path)
      const etag = first.headers.get('etag')
      expect(etag).toMatch(/^"[0-9a-f]{40}/)
      const again = await fetch(`${world.platform.url}${at}${path}`, {
        headers: { ...world.owner.headers, 'if-none-match': etag ?? '' },
      })
      expect(again.status).toBe(304)
    }
  })

  test('a file is read, and what is no file of the repository is 404', async () => {
    expect((await get('/files/content?path=docs/manual.md')).body).toMatchObject({
      ref: 'main',
      content: '# Guide\nThe answer is 42.\n',
    })
    for (const path of ['absent', '/etc/passwd', '../secret', 'docs', 'docs/../svc.yaml']) {
      expect([path, (await get(`/files/content?path=${encodeURIComponent(path)}`)).status]).toEqual([path, 404])
    }
  })

  test('names and contents are searched', async () => {
    const names = (await get('/files/search?q=manual')).body
    expect(names).toEqual({
      query: 'manual',
      ref: 'main',
      content_search: false,
      results: [{ path: 'docs/manual.md' }],
    })
    const lines = (await get('/files/search?q=ANSWER%20is&content=1')).body
    expect(lines.results).toEqual([{ path: 'docs/manual.md', line_number: 2, line_text: 'The answer is 42.' }])
    expect((await get('/files/search?q=')).status).toBe(400)
  })

  test('an archive is a gzipped tarball', async () => {
    const response = await fetch(`${world.platform.url}${at}/files/archive?path=docs`, { headers: world.owner.headers })
    expect(response.headers.get('content-type')).toBe('application/gzip')
    expect(response.headers.get('content-disposition')).toContain('attachment')
    const tar = gunzipSync(Buffer.from(await response.arrayBuffer())).toString('latin1')
    expect(tar).toContain('docs/manual.md')
    expect(tar).not.toContain('svc.yaml')
  })

  test('the history of a file goes through its renames', async () => {
    const { commits, hasMore } = (await get('/files/history?path=docs/manual.md')).body
    expect(commits.map(({ subject }: { subject: string }) => subject)).toEqual([
      'Rename the guide',
      'Change docs/guide.md',
    ])
    expect(hasMore).toBe(false)
  })
})

describe('history', () => {
  test('commits come in pages that fit together', async () => {
    const first = await get('/commits?limit=2')
    expect([first.body.commits.length, first.body.hasMore]).toEqual([2, true])
    const rest = await get(`/commits?limit=2&cursor=${first.headers.get('x-next-cursor')}`)
    expect(rest.body.hasMore).toBe(false)
    const all = await get('/commits')
    expect([...first.body.commits, ...rest.body.commits]).toEqual(all.body.commits)
  })

  test('a commit, its files and its patch', async () => {
    const [{ hash }] = (await get('/commits')).body.commits
    const commit = (await get(`/commits/${hash.slice(0, 8)}`)).body
    expect(commit.files).toEqual([
      { path: 'docs/manual.md', old_path: 'docs/guide.md', status: 'renamed', additions: 0, deletions: 0 },
    ])
    const diff = (await get(`/commits/${hash}/diff`)).body
    expect(diff.patch).toContain('rename to docs/manual.md')
    expect(diff.parent).toBe(commit.parents[0])
    expect((await get(`/commits/${'0'.repeat(40)}`)).status).toBe(404)
    expect((await get('/commits/nonsense')).status).toBe(404)
  })

  test('branches and the distance between two versions', async () => {
    const { branches, default_branch } = (await get('/branches')).body
    expect(default_branch).toBe('main')
    expect(branches.map(({ name, ahead, behind }: Record<string, unknown>) => [name, ahead, behind])).toEqual([
      ['main', 0, 0],
      ['side', 1, 0],
    ])
    const diff = (await get('/version-diff?from=side&into=main')).body
    expect(diff).toMatchObject({ files_changed: 1, additions: 1, is_up_to_date: false, is_same_ref: false })
    expect((await get('/version-diff?from=side')).status).toBe(400)
    expect((await get('/version-diff?from=absent&into=main')).status).toBe(400)
  })
})

describe('agents the reader is not assigned to', () => {
  test('are in no list, no search, no diff, no archive, and reading one answers as if it did not exist', async () => {
    const member = await createPerson(world.platform)
    await addReader(member)
    const path = '.svc/opencode/agents/reviewer.md'
    const paths = (body: { path: string }[]) => body.map((row) => row.path)
    expect(paths((await get('/files')).body)).toContain(path)
    const seen = paths((await get('/files', member)).body)
    expect(seen).not.toContain(path)
    expect(seen).toContain('.svc/opencode/skills/svc-cli/SKILL.md')
    expect((await get(`/files/content?path=${path}`, member)).status).toBe(404)
    for (const spelled of [`${path}/`, `"${path}"`, `"\\056${path.slice(1)}"`].map(encodeURIComponent)) {
      expect((await get(`/files/content?path=${spelled}`)).status).toBe(200)
      expect((await get(`/files/content?path=${spelled}`, member)).status).toBe(404)
      expect((await get(`/files/history?path=${spelled}`, member)).status).toBe(404)
      expect((await get(`/files/archive?path=${spelled}`, member)).status).not.toBe(200)
    }
    expect((await get('/files/search?q=reviewer', member)).body.results).toEqual([])
    expect((await get('/files/search?q=review%20changes&content=1', member)).body.results).toEqual([])
    expect((await get('/files/archive', member)).status).toBe(403)
    expect((await get('/files/archive?path=docs', member)).status).toBe(200)
    const first = (await get('/commits')).body.commits.at(-1).hash
    expect(paths((await get(`/commits/${first}`, member)).body.files)).not.toContain(path)
    expect((await get(`/commits/${first}/diff`, member)).body.patch).not.toContain('reviewer.md')
    const detail = (await get('/detail', member)).body
    expect(detail.config.agents).toEqual([])
    expect(paths(detail.files)).not.toContain(path)
  })
})

/** A member of the account with a custom role on the project that reads files, history and agents. */
async function addReader(person: Person): Promise<void> {
  const { sql } = world.platform.database
  const roleId = newId()
  const actions = [
    'project.read',
    'project.file.read',
    'project.gitops.read',
    'project.agent.read',
    'project.skill.read',
  ]
  await sql`insert into svc.roles (role_id, account_id, key, name, resource_type, actions)
    values (${roleId}, ${project.account_id}, 'reader', 'Reader', 'project', ${actions})`
  const assign = (role: string, scope: 'account' | 'project', id: string | null) => sql`
    insert into svc.assignments (assignment_id, account_id, principal_type, principal_id, role_id, scope_type, scope_id)
    values (${newId()}, ${project.account_id}, 'user', ${person.userId}, ${role}, ${scope}, ${id})`
  await assign('builtin:member', 'account', null)
  await assign(roleId, 'project', project.project_id)
}
