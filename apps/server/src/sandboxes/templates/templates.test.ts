import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { BuildError } from './build-error.ts'
import { createPaperProvider } from './testing/paper-provider.ts'
import { startTemplatesWorld } from './testing/templates-world.ts'

const local = createPaperProvider('local', { images: false })
const docker = createPaperProvider('docker', { images: true, baseImage: 'base:1' })
const started: { prompt: string; sandboxSlug: string }[] = []
const world = await startTemplatesWorld([local, docker], {
  async startSession(_, session) {
    started.push(session)
    return '7a1b2c3d-0000-4000-8000-000000000001'
  },
})
afterAll(() => world.stop())
beforeEach(() => {
  for (const provider of [local, docker]) {
    provider.health = { status: 'ok' }
    provider.whileBuilding = async () => undefined
  }
})

const manifest = (templates: string, more = '') =>
  `svc_version: 2\ndefault_agent: svc\nagents:\n  svc:\n    svc_cli: all\nsandbox:\n${more}  templates:\n${templates}`
const python = '    - slug: python\n      image: python:3.12\n      cpu: 4\n'
const node = '    - slug: node\n      dockerfile: docker/Dockerfile\n'

async function waitForBuild(projectId: string, slug: string, status: string) {
  await expect.poll(async () => (await builds(projectId)).find((build) => build.slug === slug)?.status).toBe(status)
}
const builds = async (projectId: string): Promise<{ slug: string; status: string; build_id: string }[]> =>
  (await world.call('GET', `${projectId}/snapshots`)).body.builds
const template = async (projectId: string, slug: string) =>
  (await world.call('GET', `${projectId}/sandboxes`)).body.items.find((item: { slug: string }) => item.slug === slug)

describe('templates of a project', () => {
  test('are the platform’s, the manifest’s and those made here, each told with how it stands', async () => {
    const projectId = await world.makeProject({
      'svc.yaml': manifest(python + node, '  default: python\n'),
      'docker/Dockerfile': 'FROM a',
    })
    const { status, body } = await world.call('GET', `${projectId}/sandboxes`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ default_slug: 'python', provider_mode: 'automatic', selected_provider: null })
    expect(body.items).toMatchObject([
      { slug: 'default', source: 'platform', provider: 'local', ready: true, cpu: 2, memory_gb: 4, disk_gb: 20 },
      { slug: 'python', source: 'toml', is_default: true, image: 'python:3.12', cpu: 4, ready: false },
      { slug: 'node', source: 'toml', has_dockerfile: true, dockerfile_path: 'docker/Dockerfile' },
    ])
    const coverage = body.items[1].provider_coverage
    expect(coverage).toMatchObject([
      { provider: 'local', available: false, status: 'unavailable' },
      { provider: 'docker', available: true, status: 'not_built', launch_ready: false },
    ])
    expect((await world.call('GET', `${projectId}/sandbox-templates`)).body).toEqual({
      ...body,
      items: expect.any(Array),
    })
  })

  test('an unchanged definition keeps its image; a changed Dockerfile, or a commit it copies from, is another', async () => {
    const projectId = await world.makeProject({ 'svc.yaml': manifest(node), 'docker/Dockerfile': 'FROM a\nRUN b\n' })
    const name = async () => (await template(projectId, 'node')).snapshot_name
    const first = await name()
    await world.commit(projectId, { 'README.md': 'something else' })
    expect(await name()).toBe(first)
    await world.commit(projectId, { 'docker/Dockerfile': 'FROM a\nRUN c\n' })
    const second = await name()
    expect(second).not.toBe(first)
    await world.commit(projectId, { 'docker/Dockerfile': 'FROM a\nCOPY . /x\n' })
    const third = await name()
    await world.commit(projectId, { 'README.md': 'again' })
    expect(await name()).not.toBe(third)
    const other = await world.makeProject({ 'svc.yaml': manifest(node), 'docker/Dockerfile': 'FROM a\nRUN b\n' })
    expect((await template(other, 'node')).snapshot_name).not.toBe(first)
    expect((await template(other, 'default')).snapshot_name).toBe((await template(projectId, 'default')).snapshot_name)
  })

  test('one made here is built, changed, and removed', async () => {
    const projectId = await world.makeProject()
    const made = await world.call('POST', `${projectId}/sandbox-templates`, {
      slug: 'mine',
      image: 'debian:12',
      cpu: 3,
    })
    expect([made.status, made.body.slug]).toEqual([201, 'mine'])
    await waitForBuild(projectId, 'mine', 'ready')
    const path = `${projectId}/sandbox-templates/${made.body.template_id}`
    const changed = await world.call('PATCH', path, { cpu: null, name: 'Mine', image: 'debian:13' })
    expect(changed).toMatchObject({ status: 200, body: { build_status: 'started', providers: ['docker'] } })
    expect(await template(projectId, 'mine')).toMatchObject({ cpu: 2, name: 'Mine', image: 'debian:13', source: 'ui' })
    expect((await world.call('PATCH', path, { image: null })).status).toBe(400)
    const swapped = await world.call('PATCH', path, { image: null, dockerfile_path: 'Dockerfile' })
    expect(swapped.status).toBe(200)
    await waitForBuild(projectId, 'mine', 'failed')
    expect((await world.call('POST', `${path}/build`)).status).toBe(202)
    expect((await world.call('DELETE', path)).status).toBe(204)
    expect((await world.call('DELETE', path)).status).toBe(404)
    expect(await template(projectId, 'mine')).toBeUndefined()
  })

  test.each([
    [{ slug: 'Bad Slug', image: 'a' }, 400],
    [{ slug: 'a' }, 400],
    [{ slug: 'a', image: 'b', dockerfile_path: 'c' }, 400],
    [{ slug: 'a', dockerfile_path: '../x' }, 400],
    [{ slug: 'a', image: 'b', cpu: 0 }, 400],
    [{ slug: 'default', image: 'b' }, 409],
    [{ slug: 'python', image: 'b' }, 409],
  ])('%j is refused with %i', async (body, status) => {
    const projectId = await world.makeProject({ 'svc.yaml': manifest(python) })
    expect((await world.call('POST', `${projectId}/sandbox-templates`, body)).status).toBe(status)
  })

  test('one that the manifest uses cannot be removed, and gives way when the manifest declares its name', async () => {
    const projectId = await world.makeProject()
    const made = await world.call('POST', `${projectId}/sandbox-templates`, { slug: 'python', image: 'a:1' })
    await world.commit(projectId, { 'svc.yaml': manifest(python) })
    expect(await template(projectId, 'python')).toMatchObject({ source: 'toml', image: 'python:3.12' })
    const removed = await world.call('DELETE', `${projectId}/sandbox-templates/${made.body.template_id}`)
    expect([removed.status, removed.body.code]).toEqual([409, 'shared_template'])
  })

  test('a template of another project is not there', async () => {
    const [one, other] = [await world.makeProject(), await world.makeProject()]
    const made = await world.call('POST', `${one}/sandbox-templates`, { slug: 'a', image: 'b:1' })
    const path = `${other}/sandbox-templates/${made.body.template_id}`
    expect((await world.call('PATCH', path, { cpu: 1 })).status).toBe(404)
    expect((await world.call('DELETE', path)).status).toBe(404)
    expect((await world.call('POST', `${path}/build`)).status).toBe(404)
    await waitForBuild(one, 'a', 'ready')
    const [build] = await builds(one)
    expect((await world.call('GET', `${one}/snapshots/builds/${build?.build_id}/log`)).status).toBe(200)
    expect((await world.call('GET', `${other}/snapshots/builds/${build?.build_id}/log`)).status).toBe(404)
  })
})

describe('builds', () => {
  test('a Dockerfile is built with the repository’s files at that commit, and what it prints can be read', async () => {
    const projectId = await world.makeProject({
      'svc.yaml': manifest(node),
      'docker/Dockerfile': 'FROM a\nCOPY . /x\n',
    })
    docker.whileBuilding = async (_, onLine) => {
      onLine('\u001b[31mStep 1\u001b[0m\u0000')
    }
    const rebuilt = await world.call('POST', `${projectId}/snapshots/rebuild`, { slug: 'node' })
    expect(rebuilt).toMatchObject({
      status: 202,
      body: { status: 'started', slug: 'node', deleted_existing: false, providers: ['docker'], failed_providers: [] },
    })
    await waitForBuild(projectId, 'node', 'ready')
    expect(docker.builds.at(-1)?.dockerfile).toMatchObject({ text: 'FROM a\nCOPY . /x\n', path: 'docker/Dockerfile' })
    const [build] = await builds(projectId)
    const log = await world.call('GET', `${projectId}/snapshots/builds/${build?.build_id}/log`)
    expect(log.body.log).toBe('building docker/Dockerfile\nStep 1\n')
    const again = await world.call('POST', `${projectId}/snapshots/rebuild`, { slug: 'node' })
    expect(again.body.deleted_existing).toBe(true)
    await expect.poll(async () => (await builds(projectId)).length).toBe(2)
    await waitForBuild(projectId, 'node', 'ready')
  })

  test('one image is built once, however many ask for it at the same time', async () => {
    const projectId = await world.makeProject({ 'svc.yaml': manifest(python) })
    const release = gate()
    docker.whileBuilding = () => release.opened
    const before = docker.builds.length
    const asked = await Promise.all(
      Array.from({ length: 8 }, () => world.call('POST', `${projectId}/snapshots/rebuild`, { slug: 'python' })),
    )
    expect(asked.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 202))
    await expect.poll(() => docker.builds.length).toBe(before + 1)
    expect(await builds(projectId)).toHaveLength(1)
    expect((await template(projectId, 'python')).provider_coverage[1].status).toBe('building')
    release.open()
    await waitForBuild(projectId, 'python', 'ready')
    expect(docker.builds.length).toBe(before + 1)
  })

  test('a build that was cut off begins again and ends', async () => {
    const projectId = await world.makeProject({ 'svc.yaml': manifest(python) })
    let attempts = 0
    docker.whileBuilding = async (_input, _line, signal) => {
      attempts += 1
      if (attempts > 1) return
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('cut off'))))
    }
    await world.call('POST', `${projectId}/snapshots/rebuild`, { slug: 'python' })
    await expect.poll(() => attempts).toBe(1)
    await world.stopJobs()
    expect((await builds(projectId))[0]?.status).toBe('building')
    await world.hurryJobs()
    await world.runJobs()
    await waitForBuild(projectId, 'python', 'ready')
    expect(attempts).toBe(2)
  })

  test('a failure says why and who can repair it; it goes when a new definition or a new build overtakes it', async () => {
    const projectId = await world.makeProject({
      'svc.yaml': manifest(node, '  default: node\n'),
      'docker/Dockerfile': 'FROM a',
    })
    await choose(projectId, 'docker')
    docker.whileBuilding = () => Promise.reject(new BuildError('layer', 'RUN make exited with 2'))
    await world.call('POST', `${projectId}/snapshots/rebuild`)
    await waitForBuild(projectId, 'node', 'failed')
    expect((await world.call('POST', `${projectId}/snapshots/fix-with-agent`)).body.code).toBe('no_ready_sandbox')
    docker.whileBuilding = async () => undefined
    await world.call('POST', `${projectId}/snapshots/rebuild`, { slug: 'default' })
    await waitForBuild(projectId, 'default', 'ready')
    const health = await world.call('GET', `${projectId}/sandbox-health`)
    expect(health.body).toMatchObject({ primary_slug: 'node', ready: false, building: false })
    expect(health.body.status).toMatchObject({
      state: 'blocked',
      current_failure: { error: 'RUN make exited with 2', error_category: 'layer', fixable_by_agent: true },
      fix_with_agent_available: true,
      failed_providers: ['docker'],
    })
    const fix = await world.call('POST', `${projectId}/snapshots/fix-with-agent`)
    expect(fix.status).toBe(201)
    expect(started.at(-1)).toMatchObject({
      sandboxSlug: 'default',
      prompt: expect.stringContaining('RUN make exited with 2'),
    })
    await world.commit(projectId, { 'docker/Dockerfile': 'FROM b' })
    const moved = await world.call('GET', `${projectId}/snapshots`)
    expect(moved.body.status).toMatchObject({ state: 'not_built', current_failure: null, stale_reason: 'superseded' })
    expect((await world.call('POST', `${projectId}/snapshots/fix-with-agent`)).body.code).toBe('no_current_failure')
  })

  test.each([
    ['quota', 'not_agent_fixable'],
    ['provider', 'not_agent_fixable'],
  ] as const)('a failure of the kind %s is not given to an agent', async (category, code) => {
    const projectId = await world.makeProject()
    await choose(projectId, 'docker')
    await world.database.sql`insert into svc.sandbox_builds
      (build_id, account_id, project_id, slug, provider, snapshot_name, content_hash, definition, status, error, error_category, finished_at)
      select gen_random_uuid(), ${world.accountId}, ${projectId}, 'default', 'docker', ${(await template(projectId, 'default')).snapshot_name},
        'x', '{}', 'failed', 'no', ${category}, now()`
    docker.images.clear()
    const { body } = await world.call('POST', `${projectId}/snapshots/fix-with-agent`)
    expect(body).toMatchObject({ code, category })
  })

  test('while the provider does not answer nobody claims to know', async () => {
    const projectId = await world.makeProject()
    const check = local.check
    local.check = () => Promise.reject(new Error('gone'))
    const health = await world.call('GET', `${projectId}/sandbox-health`)
    expect(health.body).toMatchObject({ primary_template: null, status: null, ready: false })
    expect((await world.call('POST', `${projectId}/snapshots/fix-with-agent`)).body.code).toBe('sandbox_state_unknown')
    local.check = check
  })

  test('a template nobody has is 404, and one that nobody can build 503', async () => {
    const projectId = await world.makeProject({ 'svc.yaml': manifest(python) })
    const unknown = await world.call('POST', `${projectId}/snapshots/rebuild`, { slug: 'nope' })
    expect([unknown.status, unknown.body.code]).toEqual([404, 'template_not_found'])
    docker.health = { status: 'down', detail: 'off' }
    const off = await world.call('POST', `${projectId}/snapshots/rebuild`, { slug: 'python' })
    expect([off.status, off.body.code]).toEqual([503, 'sandbox_provider_unavailable'])
  })
})

describe('the provider of a project', () => {
  test('the default, null and the one in use apply at once; an unknown one is refused', async () => {
    const projectId = await world.makeProject()
    for (const provider of [null, 'local']) {
      const set = await world.call('PATCH', `${projectId}/sandbox-provider`, { provider })
      expect(set).toMatchObject({ status: 200, body: { kind: 'project', default_sandbox_provider: provider } })
    }
    const refused = await world.call('PATCH', `${projectId}/sandbox-provider`, { provider: 'kubernetes' })
    expect(refused).toMatchObject({
      status: 400,
      body: { code: 'unknown_sandbox_provider', available: ['local', 'docker'] },
    })
  })

  test('another is built and verified while the old one serves, and only then takes over', async () => {
    const projectId = await world.makeProject({
      'svc.yaml': manifest(node, '  default: node\n'),
      'docker/Dockerfile': 'FROM a',
    })
    const release = gate()
    docker.whileBuilding = () => release.opened
    const set = await world.call('PATCH', `${projectId}/sandbox-provider`, { provider: 'docker' })
    expect(set.body).toMatchObject({
      kind: 'preparation',
      status: 'pending',
      source_provider: 'local',
      generation: 1,
      immediate: false,
    })
    await transitionIs(projectId, 'building')
    const during = await world.call('GET', `${projectId}/sandbox-provider/transition`)
    expect(during.body).toMatchObject({ active_provider: 'local' })
    expect(Object.keys(during.body.latest)).not.toEqual(expect.arrayContaining(['snapshot_name']))
    // A commit that arrives meanwhile is built before the change.
    await world.commit(projectId, { 'docker/Dockerfile': 'FROM b' })
    release.open()
    await transitionIs(projectId, 'activated')
    expect(docker.builds.slice(-2).map(({ dockerfile }) => dockerfile?.text)).toEqual(['FROM a', 'FROM b'])
    expect((await world.call('GET', `${projectId}/sandboxes`)).body).toMatchObject({
      provider_mode: 'pinned',
      selected_provider: 'docker',
    })
    expect(await template(projectId, 'node')).toMatchObject({ provider: 'docker', ready: true })
  })

  test('a newer request takes the place of an older one, which never comes back', async () => {
    const projectId = await world.makeProject()
    const release = gate()
    docker.images.clear()
    docker.whileBuilding = () => release.opened
    await world.call('PATCH', `${projectId}/sandbox-provider`, { provider: 'docker' })
    await transitionIs(projectId, 'building')
    expect((await world.call('PATCH', `${projectId}/sandbox-provider`, { provider: 'local' })).body.kind).toBe(
      'project',
    )
    release.open()
    await transitionIs(projectId, 'superseded')
    await expect.poll(() => docker.images.size).toBe(1)
    const after = await world.call('GET', `${projectId}/sandbox-provider/transition`)
    expect(after.body).toMatchObject({ active_provider: 'local', latest: { status: 'superseded' } })
  })

  test('a build that cannot succeed fails the change, and the old provider goes on', async () => {
    const projectId = await world.makeProject({ 'svc.yaml': manifest(node, '  default: node\n') })
    await world.call('PATCH', `${projectId}/sandbox-provider`, { provider: 'docker' })
    await transitionIs(projectId, 'failed')
    const { body } = await world.call('GET', `${projectId}/sandbox-provider/transition`)
    expect(body).toMatchObject({ active_provider: 'local', latest: { error_class: 'dockerfile' } })
  })

  test('a provider that does not answer is asked again, not taken for missing', async () => {
    const projectId = await world.makeProject()
    docker.images.clear()
    docker.health = { status: 'down', detail: 'the socket is gone' }
    await world.call('PATCH', `${projectId}/sandbox-provider`, { provider: 'docker' })
    await expect
      .poll(async () => (await world.call('GET', `${projectId}/sandbox-provider/transition`)).body.latest)
      .toMatchObject({ status: 'building', error_class: 'provider' })
    docker.health = { status: 'ok' }
    await expect.poll(world.hurryJobs).toBeGreaterThan(0)
    await transitionIs(projectId, 'activated')
  })
})

describe('what a session gets', () => {
  test('the image of its template, built first when it is not there', async () => {
    const projectId = await world.makeProject({ 'svc.yaml': manifest(python) })
    const question = { projectId, accountId: world.accountId, slug: 'python', provider: 'docker' }
    const resolved = await world.templates.resolveTemplate(question)
    expect(resolved).toMatchObject({
      slug: 'python',
      provider: 'docker',
      resources: { cpu: 4, memoryGb: 4, diskGb: 20 },
    })
    expect(docker.images.has(resolved.image ?? '')).toBe(false)
    const prepared = await world.templates.prepareTemplate({ ...question, signal: AbortSignal.timeout(20_000) })
    expect(prepared).toEqual(resolved)
    expect(docker.images.has(resolved.image ?? '')).toBe(true)
    expect(await world.templates.resolveTemplate({ projectId })).toMatchObject({ slug: 'default', image: undefined })
  })

  test('is told before it starts that a template does not exist, cannot run there, or does not build', async () => {
    const projectId = await world.makeProject({ 'svc.yaml': manifest(python) })
    const code = (question: object) =>
      world.templates.resolveTemplate({ projectId, ...question }).then(
        () => 'resolved',
        (error: { code?: string }) => error.code,
      )
    expect(await code({ slug: 'nope' })).toBe('unknown_sandbox_template')
    expect(await code({ slug: 'python' })).toBe('template_unsupported')
    expect(await code({ provider: 'nope' })).toBe('unknown_sandbox_provider')
    docker.whileBuilding = () => Promise.reject(new BuildError('layer', 'pull access denied'))
    const question = { projectId, accountId: world.accountId, slug: 'python', provider: 'docker' }
    await expect(
      world.templates.prepareTemplate({ ...question, signal: AbortSignal.timeout(20_000) }),
    ).rejects.toMatchObject({ code: 'template_not_built', message: 'pull access denied' })
  })
})

test('the rules of egress are set, read and checked; the log is paged', async () => {
  const projectId = await world.makeProject()
  const path = `${projectId}/sandbox-egress`
  expect((await world.call('GET', path)).body).toEqual({ mode: 'public', allow: null, updated_at: null })
  const bad = await world.call('PUT', path, { allow: ['ok.example', 'http://no'] })
  expect([bad.status, bad.body.issues[0].path]).toEqual([400, 'allow[1]'])
  expect((await world.call('PUT', path, { allow: ['ok.example'] })).body).toMatchObject({
    mode: 'listed',
    allow: ['ok.example'],
  })
  expect((await world.call('PUT', path, { allow: [] })).body).toMatchObject({ mode: 'listed', allow: [] })
  expect((await world.call('PUT', path, { allow: null })).body).toMatchObject({ mode: 'public', allow: null })
  await world.database.sql`insert into svc.egress_log
    (project_id, sandbox_id, host, port, outcome, connections, bytes_in, bytes_out, started_at, ended_at)
    select ${projectId}, gen_random_uuid(), 'h' || n, 443, 'ok', 1, 2, 3, now(), now() from generate_series(1, 250) n`
  const first = (await world.call('GET', `${path}/log`)).body
  expect([first.items.length, first.items[0].host]).toEqual([200, 'h250'])
  const second = (await world.call('GET', `${path}/log?cursor=${first.next_cursor}`)).body
  expect([second.items.length, second.next_cursor]).toEqual([50, null])
})

async function choose(projectId: string, provider: string): Promise<void> {
  await world.database.sql`insert into svc.sandbox_choices (project_id, account_id, selected_provider)
    values (${projectId}, ${world.accountId}, ${provider})`
}

async function transitionIs(projectId: string, status: string): Promise<void> {
  await expect
    .poll(async () => (await world.call('GET', `${projectId}/sandbox-provider/transition`)).body.latest?.status)
    .toBe(status)
}

function gate(): { opened: Promise<void>; open: () => void } {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}
