import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startEvents } from '../kernel/events/index.ts'
import { newId } from '../kernel/ids/index.ts'
import { createLogger, createMemoryWriter } from '../kernel/log/index.ts'
import { type ProjectWorld, startProjectWorld } from '../projects/testing/project-world.ts'
import { changeRequestChanged } from './events.ts'

let world: ProjectWorld
beforeAll(async () => {
  world = await startProjectWorld()
})
afterAll(() => world?.stop())

interface Prepared {
  readonly projectId: string
  readonly base: string
  readonly clone: string
  readonly token: string
}

async function prepare(input: Record<string, unknown> = {}): Promise<Prepared> {
  const project = await world.provision({ starter_template: 'minimal', ...input })
  const clone = await world.clone(project, project.push_token)
  return {
    projectId: project.project_id,
    base: `/v1/projects/${project.project_id}`,
    clone,
    token: project.push_token,
  }
}

async function pushBranch(at: Prepared, branch: string, file: string, content: string): Promise<string> {
  await world.runClient(at.clone, ['checkout', '-q', '-b', branch, 'origin/main'])
  const tip = await world.commitFile(at.clone, file, content)
  await world.runClient(at.clone, ['push', '-q', 'origin', branch])
  return tip
}

async function open(at: Prepared, branch: string, more: Record<string, unknown> = {}) {
  const { status, body } = await world.call('POST', `${at.base}/change-requests`, {
    title: `Merge ${branch}`,
    head_ref: branch,
    ...more,
  })
  expect([status, body.error]).toEqual([201, undefined])
  return { ...body, path: `${at.base}/change-requests/${body.cr_id}` }
}

describe('from a push to the default branch', () => {
  test('clone, push a branch, open, diff, preview, merge, read it back', async () => {
    const at = await prepare()
    const tip = await pushBranch(at, 'add-note', 'note.txt', 'hello\n')
    const request = await open(at, 'add-note', { description: 'A note' })
    expect(request).toMatchObject({ number: 1, status: 'open', base_ref: 'main', head_commit_sha: tip })

    const diff = await world.call('GET', `${request.path}/diff`)
    expect(diff.body.files).toEqual([{ path: 'note.txt', old_path: null, status: 'added', additions: 1, deletions: 0 }])
    expect(diff.body.patch).toContain('+hello')

    const preview = await world.call('GET', `${request.path}/merge-preview`)
    expect(preview.body).toMatchObject({ can_merge: true, can_fast_forward: true, conflicts: [], is_up_to_date: false })

    const merged = await world.call('POST', `${request.path}/merge`, {
      expected_head_sha: preview.body.head_sha,
      expected_base_sha: preview.body.base_sha,
    })
    expect(merged.status).toBe(200)
    expect(merged.body.change_request).toMatchObject({ status: 'merged', merged_by: world.owner.userId })
    expect(merged.body.merge).toMatchObject({ fast_forward: true, base_sha_after: tip })

    const file = await world.call('GET', `${at.base}/files/content?path=note.txt`)
    expect(file.body).toEqual({ path: 'note.txt', ref: 'main', content: 'hello\n' })
    const commits = await world.call('GET', `${at.base}/commits`)
    expect(commits.body.commits[0]).toMatchObject({ hash: tip, subject: 'Change note.txt' })
    const again = await world.call('POST', `${request.path}/merge`, {})
    expect([again.status, again.body.code]).toEqual([409, 'change_request_not_open'])
  })

  test('branches that both moved get a merge commit by whoever merged, with the request’s author beside it', async () => {
    const at = await prepare()
    const agent = await world.sessionToken({ project_id: at.projectId, account_id: await accountOf(at) })
    await pushBranch(at, 'side', 'side.txt', 'side\n')
    await pushBranch(at, 'other', 'other.txt', 'other\n')
    const opened = await world.call(
      'POST',
      `${at.base}/change-requests`,
      { title: 'Side', head_ref: 'side' },
      { token: agent.token },
    )
    expect(opened.body.origin_session_id).toBe(agent.sessionId)
    const first = await open(at, 'other')
    expect((await world.call('POST', `${first.path}/merge`, {})).status).toBe(200)
    const merged = await world.call('POST', `${at.base}/change-requests/${opened.body.cr_id}/merge`, {})
    expect(merged.body.merge.fast_forward).toBe(false)
    const commit = await world.call('GET', `${at.base}/commits/${merged.body.merge.merge_commit_sha}`)
    expect(commit.body).toMatchObject({ subject: 'Merge CR #1: Side', author_email: world.owner.email })
    expect(commit.body.body).toContain('Co-authored-by: svc <svc@agents.noreply.svc>')
    expect(commit.body.parents).toHaveLength(2)
  })
})

describe('a merge is refused and nothing moves', () => {
  test('when the head has moved since the preview', async () => {
    const at = await prepare()
    const old = await pushBranch(at, 'moving', 'a.txt', '1\n')
    const request = await open(at, 'moving')
    await world.commitFile(at.clone, 'a.txt', '2\n')
    await world.runClient(at.clone, ['push', '-q', 'origin', 'moving'])
    const before = await tipOf(at, 'main')
    const merged = await world.call('POST', `${request.path}/merge`, { expected_head_sha: old })
    expect([merged.status, merged.body.code]).toEqual([409, 'stale_preview'])
    expect(merged.body).toMatchObject({ base_sha: before, head_sha: await tipOf(at, 'moving') })
    expect(await tipOf(at, 'main')).toBe(before)
    expect((await world.call('GET', request.path)).body.change_request.status).toBe('open')
  })

  test('when the base has moved since the preview', async () => {
    const at = await prepare()
    await pushBranch(at, 'one', 'one.txt', '1\n')
    await pushBranch(at, 'two', 'two.txt', '2\n')
    const [one, two] = [await open(at, 'one'), await open(at, 'two')]
    const { base_sha } = (await world.call('GET', `${two.path}/merge-preview`)).body
    await world.call('POST', `${one.path}/merge`, {})
    const merged = await world.call('POST', `${two.path}/merge`, { expected_base_sha: base_sha })
    expect([merged.status, merged.body.code]).toEqual([409, 'stale_preview'])
  })

  test('when both sides changed the same lines, and names the files', async () => {
    const at = await prepare()
    await pushBranch(at, 'left', 'README.md', 'left\n')
    await pushBranch(at, 'right', 'README.md', 'right\n')
    const [left, right] = [await open(at, 'left'), await open(at, 'right')]
    await world.call('POST', `${left.path}/merge`, {})
    const preview = await world.call('GET', `${right.path}/merge-preview`)
    expect(preview.body).toMatchObject({ can_merge: false, conflicts: ['README.md'] })
    const merged = await world.call('POST', `${right.path}/merge`, {})
    expect([merged.status, merged.body.code, merged.body.conflicts]).toEqual([409, 'merge_conflict', ['README.md']])
  })

  test('when the manifest on the branch is not valid, with the place of every issue', async () => {
    const at = await prepare()
    await pushBranch(at, 'broken', 'svc.yaml', 'svc_version: 2\ndefault_agent: nobody\n')
    const request = await open(at, 'broken')
    const merged = await world.call('POST', `${request.path}/merge`, {})
    expect([merged.status, merged.body.code]).toEqual([422, 'manifest_invalid'])
    expect(merged.body.issues[0]).toMatchObject({ severity: 'error', line: expect.any(Number) })
  })

  test('when two valid manifests would merge into one that is not', async () => {
    const agents = (...names: string[]) => names.map((name) => `  ${name}:\n    svc_cli: all\n`).join('')
    const manifest = (first: string, all: string, more = '') =>
      `svc_version: 2\ndefault_agent: ${first}\n${'# kept apart\n'.repeat(8)}agents:\n${all}${more}`
    const at = await prepare()
    await world.runClient(at.clone, ['checkout', '-q', 'main'])
    await world.commitFile(at.clone, 'svc.yaml', manifest('one', agents('one', 'two')))
    await world.runClient(at.clone, ['push', '-q', 'origin', 'main'])
    await pushBranch(at, 'other-default', 'svc.yaml', manifest('two', agents('one', 'two')))
    await pushBranch(at, 'without-two', 'svc.yaml', manifest('one', agents('one')))
    const [first, second] = [await open(at, 'other-default'), await open(at, 'without-two')]
    expect((await world.call('POST', `${first.path}/merge`)).status).toBe(200)
    const preview = await world.call('GET', `${second.path}/merge-preview`)
    expect(preview.body).toMatchObject({ can_merge: true, can_fast_forward: false })
    const before = await tipOf(at, 'main')
    const merged = await world.call('POST', `${second.path}/merge`)
    expect([merged.status, merged.body.code]).toEqual([422, 'manifest_invalid'])
    expect(merged.body.issues[0].path).toBe('default_agent')
    expect(await tipOf(at, 'main')).toBe(before)
    expect((await world.call('GET', second.path)).body.change_request.status).toBe('open')
  })

  test('when two merge one request at once: the branch moves once and one of them is told', async () => {
    const at = await prepare()
    await pushBranch(at, 'once', 'once.txt', '1\n')
    const request = await open(at, 'once')
    const results = await Promise.all([1, 2, 3, 4].map(() => world.call('POST', `${request.path}/merge`, {})))
    expect(results.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
    const refused = results.filter(({ status }) => status === 409)
    for (const { body } of refused) expect(body.code).toBe('change_request_not_open')
    const commits = await world.call('GET', `${at.base}/commits`)
    expect(commits.body.commits).toHaveLength(2)
  })
})

test('twenty requests merged at once: every commit is in the default branch', { timeout: 120_000 }, async () => {
  const at = await prepare()
  const requests = []
  for (let index = 0; index < 20; index += 1) {
    await pushBranch(at, `branch-${index}`, `file-${index}.txt`, `${index}\n`)
    requests.push(await open(at, `branch-${index}`))
  }
  expect(requests.map(({ number }) => number)).toEqual(requests.map((_, index) => index + 1))
  const merged = await Promise.all(requests.map(({ path }) => world.call('POST', `${path}/merge`, {})))
  expect(merged.map(({ status }) => status)).toEqual(requests.map(() => 200))
  const files = await world.call('GET', `${at.base}/files`)
  const paths = files.body.map(({ path }: { path: string }) => path)
  for (let index = 0; index < 20; index += 1) expect(paths).toContain(`file-${index}.txt`)
})

test('open, merge, close and reopen are told to every server, with what they are about', async () => {
  const log = createLogger({ writer: createMemoryWriter() })
  const events = await startEvents({ sql: world.platform.database.sql, log })
  const told: string[] = []
  events.subscribe(changeRequestChanged, ({ cr_id, number, change }) => void told.push(`${cr_id} #${number} ${change}`))
  try {
    const at = await prepare()
    await pushBranch(at, 'told', 'a.txt', '1\n')
    const request = await open(at, 'told')
    for (const verb of ['close', 'reopen', 'merge']) await world.call('POST', `${request.path}/${verb}`)
    const expected = ['opened', 'closed', 'reopened', 'merged'].map((change) => `${request.cr_id} #1 ${change}`)
    await expect.poll(() => told).toEqual(expected)
  } finally {
    await events.stop()
  }
})

describe('whose work it is', () => {
  async function addSession(at: Prepared, ownerId: string): Promise<string> {
    const sessionId = newId()
    await world.platform.database.sql`
      insert into svc.sessions (session_id, account_id, project_id, branch_name, base_ref, sandbox_provider, agent_name,
        runtime, status, origin, owner_type, owner_id, visibility)
      values (${sessionId}, ${await accountOf(at)}, ${at.projectId}, ${sessionId}, 'main', 'local', 'svc',
        'opencode', 'stopped', 'user', 'user', ${ownerId}, 'private')`
    return sessionId
  }

  test('nobody names a session they cannot open, so that no feedback is put to it as a prompt', async () => {
    const [at, elsewhere] = [await prepare(), await prepare()]
    await pushBranch(at, 'work', 'work.txt', 'work\n')
    const hidden = await addSession(at, newId())
    const foreign = await addSession(elsewhere, world.owner.userId)
    for (const session_id of [hidden, foreign, newId()]) {
      const input = { title: 'Work', head_ref: 'work', session_id }
      const { status, body } = await world.call('POST', `${at.base}/change-requests`, input)
      expect([status, body.code]).toEqual([400, 'validation_failed'])
    }
    const own = await addSession(at, world.owner.userId)
    expect((await open(at, 'work', { session_id: own })).origin_session_id).toBe(own)
  })

  test('a session merges into the default branch, and into others only where it could push', async () => {
    const at = await prepare()
    const project = { project_id: at.projectId, account_id: await accountOf(at) }
    const narrow = ['project.gitops.read', 'project.gitops.push', 'project.gitops.merge']
    const agent = await world.sessionToken(project, { svc_cli: narrow })
    await pushBranch(at, 'of-another', 'theirs.txt', 'theirs\n')
    await pushBranch(at, 'work', 'work.txt', 'work\n')
    const request = await open(at, 'work', { base_ref: 'of-another' })
    const refused = await world.call('POST', `${request.path}/merge`, {}, agent)
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden'])
    const wide = await world.sessionToken(project, { svc_cli: [...narrow, 'project.gitops.ref.any'] })
    expect((await world.call('POST', `${request.path}/merge`, {}, wide)).status).toBe(200)
    const toDefault = await open(at, 'work')
    expect((await world.call('POST', `${toDefault.path}/merge`, {}, agent)).status).toBe(200)
  })
})

describe('states', () => {
  test('open, close, reopen, and only from where it makes sense', async () => {
    const at = await prepare()
    await pushBranch(at, 'states', 'a.txt', '1\n')
    const request = await open(at, 'states')
    expect((await world.call('POST', `${request.path}/reopen`, {})).body.code).toBe('change_request_not_closed')
    const closed = await world.call('POST', `${request.path}/close`, { comment: 'Not now' })
    expect(closed.body).toMatchObject({
      status: 'closed',
      closed_by: world.owner.userId,
      metadata: { comments: [{ text: 'Not now', by: world.owner.userId }] },
    })
    expect((await world.call('POST', `${request.path}/close`, {})).body.code).toBe('change_request_not_open')
    expect((await world.call('POST', `${request.path}/merge`, {})).body.code).toBe('change_request_not_open')
    expect((await world.call('POST', `${request.path}/reopen`, {})).body).toMatchObject({
      status: 'open',
      closed_at: null,
    })
    const asked = await world.call('POST', `${request.path}/request-changes`, { feedback: 'Shorter, please' })
    expect(asked.body).toMatchObject({ delivering: false, change_request: { status: 'open' } })
    expect(asked.body.change_request.metadata.requested_changes[0].text).toBe('Shorter, please')
    const edited = await world.call('PATCH', request.path, { title: 'A better title' })
    expect(edited.body.title).toBe('A better title')
    const listed = await world.call('GET', `${at.base}/change-requests?status=open`)
    expect(listed.body.change_requests).toHaveLength(1)
    expect((await world.call('GET', `${at.base}/change-requests?status=merged`)).body.change_requests).toEqual([])
    expect((await world.call('GET', `${at.base}/change-requests?status=nonsense`)).status).toBe(400)
  })

  test('a branch that brings nothing cannot be opened, and neither can one that is not there', async () => {
    const at = await prepare()
    await world.runClient(at.clone, ['push', '-q', 'origin', 'main:same'])
    const send = (body: Record<string, unknown>) => world.call('POST', `${at.base}/change-requests`, body)
    expect((await send({ title: 'x', head_ref: 'same' })).body.code).toBe('cr_head_not_ahead')
    expect((await send({ title: 'x', head_ref: 'absent' })).status).toBe(400)
    expect((await send({ title: 'x', head_ref: 'main' })).status).toBe(400)
    expect((await send({ head_ref: 'same' })).status).toBe(400)
    expect((await send({ title: 'x', head_ref: '../x' })).status).toBe(400)
  })

  test('an open request tells the tips of its branches as they are now', async () => {
    const at = await prepare()
    await pushBranch(at, 'tips', 'a.txt', '1\n')
    const request = await open(at, 'tips')
    const tip = await world.commitFile(at.clone, 'a.txt', '2\n')
    await world.runClient(at.clone, ['push', '-q', 'origin', 'tips'])
    expect((await world.call('GET', request.path)).body.change_request.head_commit_sha).toBe(tip)
  })

  test('a merged request shows what it merged, however its branch moves later', async () => {
    const at = await prepare()
    await pushBranch(at, 'kept', 'kept.txt', 'kept\n')
    const request = await open(at, 'kept')
    await world.call('POST', `${request.path}/merge`, {})
    await world.commitFile(at.clone, 'later.txt', 'later\n')
    await world.runClient(at.clone, ['push', '-q', 'origin', 'kept'])
    const diff = await world.call('GET', `${request.path}/diff`)
    expect(diff.body.files.map(({ path }: { path: string }) => path)).toEqual(['kept.txt'])
  })
})

async function tipOf(at: Prepared, branch: string): Promise<string> {
  const { body } = await world.call('GET', `${at.base}/branches`)
  return body.branches.find(({ name }: { name: string }) => name === branch).tip
}

async function accountOf(at: Prepared): Promise<string> {
  return (await world.call('GET', at.base)).body.account_id
}
