import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPerson, type Person } from '../../../../tests/support/people.ts'
import { createCaller } from '../accounts/testing/client.ts'
import { startProjectWorld } from '../projects/testing/project-world.ts'

let world: Awaited<ReturnType<typeof startProjectWorld>>
let call: ReturnType<typeof createCaller>
let owner: Person
let project: { project_id: string; account_id: string }
let at: string
beforeAll(async () => {
  world = await startProjectWorld()
  call = createCaller(world.platform.url)
  owner = world.owner
  project = await world.provision()
  at = `/v1/projects/${project.project_id}`
})
afterAll(() => world?.stop())

/** In every value that is written here; seen anywhere else it is a leak. */
const canary = 'canary7f3a9c'

const write = (body: Record<string, unknown>, path = at) => call(owner, `POST ${path}/secrets`, body)
const setStrategy = (identifier: string, body: Record<string, unknown>, path = at) =>
  call(owner, `PUT ${path}/secrets/${identifier}/strategy`, body)
const setFlag = (enabled: boolean, path = at) =>
  call(owner, `PATCH ${path}/features`, { feature: 'secrets_egress', enabled })
const readItem = async (identifier: string, person: Person | string = owner) => {
  const { body } = await call(person, `GET ${at}/secrets`)
  return body.items.find((item: { identifier: string }) => item.identifier === identifier)
}

const policy = { rules: [{ host: 'api.example.com' }] }
const brokerPolicy = { ...policy, backend: 'svc_fetch' }

describe('writing', () => {
  test('a secret is listed without its value, and the database holds none in the clear', async () => {
    const { status, body } = await write({ name: 'API_TOKEN', value: `${canary}-1` })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      identifier: 'API_TOKEN',
      name: 'API_TOKEN',
      project_id: project.project_id,
      created_by: owner.userId,
      configured: true,
      strategy: 'runtime',
      consumer: 'sandbox',
      effective_source: 'shared',
      last_rotated_at: null,
      requires_rotation: false,
      delivery_sync: null,
    })
    const { body: list } = await call(owner, `GET ${at}/secrets`)
    expect(list).toMatchObject({ can_manage: true, manifest_status: 'loaded', manifest_path: 'svc.yaml' })
    const rows = await world.platform.database.sql`select sealed_value from svc.secrets`
    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows) expect(Buffer.from(row.sealed_value).includes(canary)).toBe(false)
  })

  test('a new value is a rotation; without one the old value stays; a new secret needs one', async () => {
    expect((await write({ name: 'ROTATED' })).body.code).toBe('validation_failed')
    await write({ name: 'ROTATED', value: `${canary}-a` })
    const sealed = async () => (await readSealed('ROTATED')).toString('hex')
    const first = await sealed()
    expect((await write({ name: 'ROTATED' })).body.last_rotated_at).toBeNull()
    expect(await sealed()).toBe(first)
    expect((await write({ name: 'ROTATED', value: `${canary}-b` })).body.last_rotated_at).not.toBeNull()
    expect(await sealed()).not.toBe(first)
  })

  test('several identifiers share one name; an identifier never changes its name', async () => {
    await write({ name: 'SHARED', identifier: 'shared.one', value: canary })
    expect((await write({ name: 'SHARED', identifier: 'shared-two', value: canary })).status).toBe(200)
    const other = await write({ name: 'OTHER', identifier: 'shared.one', value: canary })
    expect([other.status, other.body.code]).toEqual([409, 'secret_identifier_taken'])
  })

  test.each([
    ['a reserved name', { name: 'SVC_TOKEN', value: canary }],
    ['a name with a dash', { name: 'A-B', value: canary }],
    ['a name with a digit first', { name: '1A', value: canary }],
    ['a long name', { name: 'A'.repeat(129), value: canary }],
    ['an identifier with a dot first', { name: 'A', identifier: '.a', value: canary }],
    ['an identifier with a slash', { name: 'A', identifier: 'a/b', value: canary }],
    ['an empty value', { name: 'A', value: '' }],
    ['a null character', { name: 'A', value: `${canary}\0` }],
    ['a value that is too large', { name: 'A', value: canary.repeat(6000) }],
    ['a value that is no text', { name: 'A', value: { canary } }],
    ['an unknown strategy', { name: 'A', value: canary, strategy: canary }],
    ['a consumer of another strategy', { name: 'A', value: canary, strategy: 'runtime', consumer: 'network' }],
    ['a consumer for nothing', { name: 'A', value: canary, strategy: 'denied', consumer: 'sandbox' }],
    ['a long handle prefix', { name: 'A', value: canary, handle_prefix: 'a'.repeat(49) }],
  ])('%s is refused, and the refusal does not repeat what was sent', async (_what, body) => {
    const answer = await write(body)
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed'])
    expect(JSON.stringify(answer.body)).not.toContain(canary)
  })

  test('of 20 writers of one identifier all succeed and there is one secret', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => write({ name: 'RACE', value: `${canary}-${index}` })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ body }) => body.secret_id)).size).toBe(1)
  })

  test('a removed secret is gone; removing it again is not found', async () => {
    await write({ name: 'GONE', value: canary })
    expect((await call(owner, `DELETE ${at}/secrets/GONE`)).body).toEqual({ ok: true })
    expect((await call(owner, `DELETE ${at}/secrets/GONE`)).status).toBe(404)
    expect(await readItem('GONE')).toBeUndefined()
  })
})

describe('delivery', () => {
  test('the key of a model provider goes to the model gateway unless somebody says otherwise', async () => {
    expect((await write({ name: 'OPENAI_API_KEY', value: canary })).body).toMatchObject({
      strategy: 'broker',
      consumer: 'llm_gateway',
    })
  })

  test('while the flag is off egress is refused, before anything else about the request is judged', async () => {
    const there = `/v1/projects/${(await world.provision()).project_id}`
    await write({ name: 'KEY', value: canary }, there)
    for (const answer of [
      await setStrategy('KEY', { strategy: 'egress', egress_policy: policy }, there),
      await setStrategy('KEY', { strategy: 'egress' }, there),
      await setStrategy('ABSENT', { strategy: 'egress' }, there),
      await write({ name: 'NEW', value: canary, strategy: 'egress', egress_policy: policy }, there),
    ]) {
      expect([answer.status, answer.body.code, answer.body.feature]).toEqual([
        403,
        'feature_disabled',
        'secrets_egress',
      ])
    }
    const stranger = await createPerson(world.platform)
    const foreign = await call(stranger, `PUT ${there}/secrets/KEY/strategy`, { strategy: 'egress' })
    expect([foreign.status, foreign.body.code]).toEqual([403, 'forbidden'])
  })

  test('an egress secret can be rotated, moved away and removed while the flag is off, and nothing else', async () => {
    const there = `/v1/projects/${(await world.provision()).project_id}`
    await setFlag(true, there)
    const written = await write({ name: 'KEY', value: canary, strategy: 'egress', egress_policy: policy }, there)
    expect(written.body).toMatchObject({ strategy: 'egress', consumer: 'network', egress_policy: policy })
    await setFlag(false, there)
    expect((await write({ name: 'KEY', egress_policy: policy }, there)).body.code).toBe('feature_disabled')
    expect((await write({ name: 'KEY', value: `${canary}-2` }, there)).body.delivery_status).toBe('unavailable')
    expect((await setStrategy('KEY', { strategy: 'denied' }, there)).body).toMatchObject({
      strategy: 'denied',
      consumer: null,
      egress_policy: null,
      delivery_status: 'disabled',
    })
    expect((await call(owner, `DELETE ${there}/secrets/KEY`)).status).toBe(200)
  })

  test('what agents have seen needs rotation; going back into sandboxes needs a new value', async () => {
    await write({ name: 'SEEN', value: canary })
    const moved = await setStrategy('SEEN', { strategy: 'broker', egress_policy: brokerPolicy })
    expect(moved.body).toMatchObject({ strategy: 'broker', consumer: 'broker', requires_rotation: true })
    const back = await setStrategy('SEEN', { strategy: 'runtime' })
    expect([back.status, back.body.code]).toEqual([409, 'secret_rotation_required'])
    const renewed = await write({ name: 'SEEN', value: `${canary}-new`, strategy: 'runtime' })
    expect(renewed.body).toMatchObject({ strategy: 'runtime', requires_rotation: false, egress_policy: null })
  })

  test.each([
    ['no policy', undefined, 'secret_delivery_policy_required'],
    ['no rule', { rules: [], backend: 'svc_fetch' }, 'secret_delivery_policy_invalid'],
    ['no backend', policy, 'secret_delivery_policy_invalid'],
    ['one label', { rules: [{ host: 'localhost' }], backend: 'svc_fetch' }, 'secret_delivery_policy_invalid'],
    ['an address', { rules: [{ host: '10.0.0.1' }], backend: 'svc_fetch' }, 'secret_delivery_policy_invalid'],
    ['a port', { rules: [{ host: 'a.example:80' }], backend: 'svc_fetch' }, 'secret_delivery_policy_invalid'],
    [
      'a star in a path',
      { rules: [{ host: 'a.io', path: '/*/x' }], backend: 'svc_fetch' },
      'secret_delivery_policy_invalid',
    ],
    [
      'a template without the secret',
      { ...brokerPolicy, inject: { kind: 'header', name: 'a', template: canary } },
      'secret_delivery_policy_invalid',
    ],
    ['an unknown field', { ...brokerPolicy, [canary]: 1 }, 'secret_delivery_policy_invalid'],
  ])('a broker policy with %s is refused', async (_what, egress_policy, code) => {
    const answer = await write({ name: 'BROKERED', value: canary, strategy: 'broker', egress_policy })
    expect([answer.status, answer.body.code]).toEqual([400, code])
  })

  test('a broker may serve every host below one; egress names exact hosts', async () => {
    await setFlag(true)
    const wild = { rules: [{ host: '*.Example.com', methods: ['GET'], path: '/v1/*' }] }
    const broker = await write({
      name: 'WILD',
      value: canary,
      strategy: 'broker',
      egress_policy: { ...wild, backend: 'svc_fetch' },
    })
    expect([broker.status, broker.body.egress_policy?.rules[0].host]).toEqual([200, '*.example.com'])
    const egress = await write({ name: 'WILD2', value: canary, strategy: 'egress', egress_policy: wild })
    expect(egress.body).toMatchObject({ code: 'secret_delivery_policy_invalid' })
    expect(egress.body.issues[0].path).toBe('egress_policy.rules.0.host')
  })

  test('two egress secrets are never put into one header towards one host', async () => {
    await setFlag(true)
    const inject = { kind: 'header', name: 'Authorization', template: 'Bearer {{secret}}' }
    const into = (host: string) => ({ rules: [{ host }], inject })
    expect(
      (await write({ name: 'E1', value: canary, strategy: 'egress', egress_policy: into('one.example.com') })).status,
    ).toBe(200)
    const second = await write({
      name: 'E2',
      value: canary,
      strategy: 'egress',
      egress_policy: into('one.example.com'),
    })
    expect([second.status, second.body.code]).toEqual([409, 'secret_boundary_destination_conflict'])
    expect(second.body.conflict).toEqual({ identifier: 'E1', host: 'one.example.com', header: 'authorization' })
    expect(
      (await write({ name: 'E2', value: canary, strategy: 'egress', egress_policy: into('two.example.com') })).status,
    ).toBe(200)
  })
})

describe('values of one’s own', () => {
  test('take the place of the shared one for their owner alone, while they are active', async () => {
    await write({ name: 'MINE', value: canary })
    const mate = await addMember()
    const set = await call(mate, `PUT ${at}/secrets/MINE/personal`, { value: `${canary}-mate` })
    expect([set.status, set.body.effective_source, set.body.mine.active]).toEqual([200, 'mine', true])
    expect((await readItem('MINE')).mine).toBeNull()
    const off = await call(mate, `PUT ${at}/secrets/MINE/personal`, { active: false })
    expect(off.body).toMatchObject({ effective_source: 'shared', mine: { active: false } })
    expect((await call(mate, `DELETE ${at}/secrets/MINE/personal`)).body).toEqual({ ok: true })
    expect((await call(mate, `DELETE ${at}/secrets/MINE/personal`)).status).toBe(200)
  })

  test('need no shared secret, but a value at first, and no model provider’s name', async () => {
    const first = await call(owner, `PUT ${at}/secrets/ONLY_MINE/personal`, { active: true })
    expect(first.body.code).toBe('validation_failed')
    await call(owner, `PUT ${at}/secrets/ONLY_MINE/personal`, { value: canary })
    expect(await readItem('ONLY_MINE')).toMatchObject({ configured: false, secret_id: null, effective_source: 'mine' })
    const model = await call(owner, `PUT ${at}/secrets/OPENAI_API_KEY/personal`, { value: canary })
    expect([model.status, model.body.code]).toEqual([400, 'llm_credentials_project_wide'])
    expect((await call(owner, `PUT ${at}/secrets/SVC_X/personal`, { value: canary })).status).toBe(404)
  })
})

describe('who may', () => {
  test('a member of the project may not look; a stranger learns nothing; tenants never meet', async () => {
    const [mate, stranger] = [await addMember(), await createPerson(world.platform)]
    expect((await call(mate, `GET ${at}/secrets`)).status).toBe(403)
    expect((await call(mate, `POST ${at}/secrets`, { name: 'A', value: canary })).status).toBe(403)
    for (const route of [`GET ${at}/secrets`, `DELETE ${at}/secrets/API_TOKEN`, `PUT ${at}/secrets/A/personal`]) {
      const body = route.startsWith('PUT') ? { value: canary } : undefined
      expect([route, (await call(stranger, route, body)).status]).toEqual([route, 403])
    }
    const theirs = await world.provision({}, stranger)
    const foreign = await call(stranger, `DELETE /v1/projects/${theirs.project_id}/secrets/API_TOKEN`)
    expect(foreign.status).toBe(404)
    expect(await readItem('API_TOKEN')).toBeDefined()
  })

  test('an agent sees what it was granted, rotates it, and never changes how it is delivered', async () => {
    await write({ name: 'GRANTED', value: canary })
    const token = await agentToken(['GRANTED'])
    const { body } = await call(token, `GET ${at}/secrets`)
    expect(body.items.map(({ identifier }: { identifier: string }) => identifier)).toEqual(['GRANTED'])
    expect((await call(token, `POST ${at}/secrets`, { name: 'GRANTED', value: `${canary}-agent` })).status).toBe(200)
    for (const [route, sent] of [
      [`POST ${at}/secrets`, { name: 'GRANTED', strategy: 'denied' }],
      [`POST ${at}/secrets`, { name: 'API_TOKEN', value: canary }],
      [`PUT ${at}/secrets/GRANTED/strategy`, { strategy: 'denied' }],
    ] as const) {
      expect([route, (await call(token, route, sent)).status]).toEqual([route, 403])
    }
    expect((await call(token, `DELETE ${at}/secrets/API_TOKEN`)).status).toBe(404)
  })

  test('an agent neither sets nor removes values of the person it works for, whatever it was granted', async () => {
    await call(world.owner, `PUT ${at}/secrets/GRANTED/personal`, { value: `${canary}-own` })
    const token = await agentToken(['GRANTED'])
    const set = await call(token, `PUT ${at}/secrets/GRANTED/personal`, { value: `${canary}-planted` })
    const removed = await call(token, `DELETE ${at}/secrets/GRANTED/personal`)
    expect([set.status, removed.status]).toEqual([403, 403])
    const item = (await call(world.owner, `GET ${at}/secrets`)).body.items.find(
      ({ name }: { name: string }) => name === 'GRANTED',
    )
    expect(item.mine).toMatchObject({ active: true })
    await call(world.owner, `DELETE ${at}/secrets/GRANTED/personal`)
  })

  test('a project writes a hundred times an hour', async () => {
    const there = `/v1/projects/${(await world.provision()).project_id}`
    const answers = []
    for (let index = 0; index < 101; index++)
      answers.push(await write({ name: 'BUSY', value: `${canary}-${index}` }, there))
    expect(answers.slice(0, 100).every(({ status }) => status === 200)).toBe(true)
    const last = answers.at(-1)
    expect([last?.status, last?.body.code]).toEqual([429, 'project_secret_write_limit'])
    expect(Number(last?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await call(owner, `DELETE ${there}/secrets/BUSY`)).status).toBe(200)
  })
})

describe('the credential of a repository', () => {
  test('is refused for a repository of ours, and an empty one always', async () => {
    const managed = await call(owner, `PUT ${at}/git-credential`, { token: canary })
    expect([managed.status, managed.body.code]).toEqual([409, 'git_credential_managed'])
    expect((await call(owner, `PUT ${at}/git-credential`, { token: ' ' })).status).toBe(400)
  })

  test('of one that lives elsewhere is kept sealed and never shown', async () => {
    const elsewhere = await world.provision()
    await world.platform.database.sql`
      update svc.repositories set kind = 'remote', provider = 'generic', remote_url = 'https://git.example.com/a/b.git'
      where project_id = ${elsewhere.project_id}`
    const path = `/v1/projects/${elsewhere.project_id}/git-credential`
    const { status, body } = await call(owner, `PUT ${path}`, { token: `${canary}-git`, provider: 'gitea' })
    expect([status, body.configured, body.provider]).toEqual([200, true, 'gitea'])
    expect(body.git_connection).toMatchObject({ repo_url: 'https://git.example.com/a/b.git', auth_method: 'token' })
    const [row] = await world.platform.database.sql`
      select sealed_credential from svc.repositories where project_id = ${elsewhere.project_id}`
    expect(Buffer.from(row?.sealed_credential).includes(canary)).toBe(false)
  })
})

test('no value is in the log, the audit log, the job queue or an event', async () => {
  const { sql } = world.platform.database
  const audited = await sql`select * from svc.audit_events where action like 'secret.%'`
  expect(new Set(audited.map(({ action }) => action))).toEqual(
    new Set([
      'secret.upsert',
      'secret.strategy',
      'secret.remove',
      'secret.personal.set',
      'secret.personal.remove',
      'secret.git_credential.set',
    ]),
  )
  const everything = await sql`select to_jsonb(e)::text as line from svc.audit_events e`
  const jobs = await sql`select to_jsonb(j)::text as line from graphile_worker._private_jobs j`
  for (const { line } of [...everything, ...jobs]) expect(line).not.toContain(canary)
  expect(world.platform.logLines().join('\n')).not.toContain(canary)
})

async function readSealed(identifier: string): Promise<Buffer> {
  const [row] = await world.platform.database.sql`
    select sealed_value from svc.secrets where project_id = ${project.project_id} and identifier = ${identifier}`
  return Buffer.from(row?.sealed_value)
}

async function addMember(): Promise<Person> {
  const person = await createPerson(world.platform)
  const { status } = await call(owner, `POST ${at}/access/invite`, { email: person.email, role: 'member' })
  expect(status).toBe(200)
  return person
}

async function agentToken(env: string[]): Promise<string> {
  const { token, sessionId } = await world.sessionToken(project)
  await world.platform.database.sql`
    update svc.tokens set agent_grant = jsonb_set(agent_grant, '{env}', ${JSON.stringify(env)}::text::jsonb)
    where session_id = ${sessionId}`
  return token
}
