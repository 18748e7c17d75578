import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPerson, type Person } from '../../../../tests/support/people.ts'
import { startTestPlatform } from '../../../../tests/support/platform.ts'
import { createCaller } from '../accounts/testing/client.ts'

let platform: Awaited<ReturnType<typeof startTestPlatform>>
let call: ReturnType<typeof createCaller>
let operator: Person
let person: Person
beforeAll(async () => {
  platform = await startTestPlatform()
  call = createCaller(platform.url)
  operator = await createPerson(platform, { operator: true })
  person = await createPerson(platform)
})
afterAll(() => platform.stop())

/** A job that has used up its attempts. */
async function addDeadJob(name: string): Promise<string> {
  const { sql } = platform.database
  const [job] = await sql`
    select id::text from graphile_worker.add_job(${name}::text, payload => '{}'::json, run_at => now() + interval '1 day')`
  await sql`
    update graphile_worker._private_jobs set attempts = max_attempts, last_error = 'it broke with svc_pat_x'
    where id = ${job?.id}::bigint`
  return String(job?.id)
}

describe('the operator', () => {
  test('alone reaches the operator’s routes; an account-wide key reads all but mail and changes nothing', async () => {
    const routes = [
      'GET /v1/operator/health',
      'GET /v1/operator/jobs',
      'GET /v1/operator/jobs/dead',
      'GET /v1/operator/settings',
      'GET /v1/operator/mailbox',
      'GET /v1/operator/users',
      'GET /v1/operator/sandboxes',
    ]
    await call(operator, 'GET /v1/accounts')
    const { body: key } = await call(operator, 'POST /v1/accounts/tokens', { name: 'ops' })
    for (const route of routes) {
      expect([route, (await call(undefined, route)).status]).toEqual([route, 401])
      expect([route, (await call(person, route)).status]).toEqual([route, 403])
      expect([route, (await call(operator, route)).status]).toEqual([route, 200])
      const byKey = route === 'GET /v1/operator/mailbox' ? 403 : 200
      expect([route, (await call(key.secret_key, route)).status]).toEqual([route, byKey])
    }
    const changing = await call(key.secret_key, 'PATCH /v1/operator/settings', { sign_up: 'open' })
    expect(changing.status).toBe(403)
    expect((await call(person, 'PATCH /v1/operator/settings', { sign_up: 'open' })).status).toBe(403)
    expect((await call(person, 'POST /v1/operator/jobs/dead/1/retry')).status).toBe(403)
    expect((await call(person, 'DELETE /v1/operator/jobs/dead/1')).status).toBe(403)
  })

  test('sees the parts and every job’s state', async () => {
    const { body } = await call(operator, 'GET /v1/operator/health')
    expect(body.parts).toContainEqual(expect.objectContaining({ name: 'database', status: 'ok' }))
    expect(Object.keys(body.jobs).sort()).toEqual(['dead', 'ready', 'retrying', 'running', 'scheduled'])
  })

  test('retries one failed job with all its attempts and discards another, each under their name', async () => {
    const [first, second] = [await addDeadJob('mail.clean'), await addDeadJob('mail.clean')]
    const { body } = await call(operator, 'GET /v1/operator/jobs/dead?limit=1')
    expect(body.jobs).toMatchObject([{ job_id: second, name: 'mail.clean' }])
    expect(body.jobs[0].last_error).toContain('it broke')
    const paged = await call(operator, `GET /v1/operator/jobs/dead?cursor=${second}`)
    expect(paged.body.jobs.map(({ job_id }: { job_id: string }) => job_id)).toContain(first)

    expect((await call(operator, `DELETE /v1/operator/jobs/dead/${second}`)).body).toEqual({ discarded: true })
    expect((await call(operator, `DELETE /v1/operator/jobs/dead/${second}`)).status).toBe(404)
    expect((await call(operator, `POST /v1/operator/jobs/dead/${first}/retry`)).body).toEqual({ retried: true })
    expect((await call(operator, `POST /v1/operator/jobs/dead/${first}/retry`)).status).toBe(404)
    expect((await call(operator, 'POST /v1/operator/jobs/dead/x/retry')).status).toBe(404)
    const actions = await platform.database.sql`
      select action, actor_user_id as who from svc.audit_events where resource_type = 'job' order by occurred_at`
    expect(actions.map(({ action, who }) => [action, who])).toEqual([
      ['operator.job.discard', operator.userId],
      ['operator.job.retry', operator.userId],
    ])
    const unknown = await addDeadJob('of.another.version')
    const refused = await call(operator, `POST /v1/operator/jobs/dead/${unknown}/retry`)
    expect([refused.status, refused.body.next]).toEqual([404, 'Discard the job.'])
  })

  test('sees every machine, page by page, and removes one together with its row', async () => {
    const { sql } = platform.database
    const machines = await sql`
      insert into svc.sandboxes (sandbox_id, provider, external_id, node_id, status, sealed_service_key, config, created_at)
      select gen_random_uuid(), 'local', 'sb' || lpad(n::text, 18, '0'), gen_random_uuid(), 'stopped', '',
        '{"resources": {"cpu": 2, "memoryGb": 4, "diskGb": 10}}', now() - n * interval '1 hour'
      from generate_series(1, 3) n returning sandbox_id as id`
    const [newest, , oldest] = machines.map(({ id }) => String(id))
    const first = await call(operator, 'GET /v1/operator/sandboxes?limit=2')
    expect(first.body.sandboxes).toMatchObject([
      {
        sandbox_id: newest,
        status: 'stopped',
        session_id: null,
        memory_bytes: null,
        memory_limit_bytes: 4 * 1024 ** 3,
      },
      {},
    ])
    const cursor = first.headers.get('x-next-cursor')
    const rest = await call(operator, `GET /v1/operator/sandboxes?limit=2&cursor=${cursor}`)
    expect(rest.body.sandboxes.map(({ sandbox_id }: { sandbox_id: string }) => sandbox_id)).toEqual([oldest])
    expect((await call(person, `DELETE /v1/operator/sandboxes/${oldest}`)).status).toBe(403)
    // On a server that is there, only that server ends it; of one that is gone the row is all there is.
    const noteServer = (ago: string) => sql`
      insert into svc.session_nodes (node_id, seen_at)
      select node_id, now() - ${ago}::interval from svc.sandboxes where sandbox_id = ${oldest ?? ''}
      on conflict (node_id) do update set seen_at = excluded.seen_at`
    await noteServer('1 second')
    const elsewhere = await call(operator, `DELETE /v1/operator/sandboxes/${oldest}`)
    expect([elsewhere.status, elsewhere.body.code]).toEqual([502, 'sandbox_unreachable'])
    await noteServer('1 hour')
    expect((await call(operator, `DELETE /v1/operator/sandboxes/${oldest}`)).body).toEqual({ destroyed: true })
    expect((await call(operator, `DELETE /v1/operator/sandboxes/${oldest}`)).status).toBe(404)
    expect(await sql`select 1 from svc.sandboxes where sandbox_id = ${oldest ?? ''}`).toHaveLength(0)
    const [event] = await sql`
      select actor_user_id as who from svc.audit_events where action = 'operator.sandbox.destroy'`
    expect(event?.who).toBe(operator.userId)
    await sql`delete from svc.sandboxes where status = 'stopped'`
  })

  test('changes settings that take effect at once, and only those named', async () => {
    const before = await call(operator, 'GET /v1/operator/settings')
    expect(before.body).toMatchObject({ sign_up: 'invitation', is_claimed: true, account_creation: 'everyone' })
    const signUp = { email: 'new@example.com', password: 'seven green kettles' }
    expect((await call(undefined, 'POST /v1/auth/signup', signUp)).status).toBe(422)
    const list = ['https://app.example.com/back', 'https://app.example.com/back']
    const changed = await call(operator, 'PATCH /v1/operator/settings', { sign_up: 'open', redirect_allow_list: list })
    expect(changed.body).toEqual({ ...before.body, sign_up: 'open', redirect_allow_list: [list[0]] })
    expect((await call(undefined, 'POST /v1/auth/signup', signUp)).status).toBe(200)
    for (const body of [
      { sign_up: 'maybe' },
      { redirect_allow_list: ['javascript:alert(1)'] },
      { redirect_allow_list: ['https://app.example.com/#x'] },
      { entitlements: ['everything'] },
      { is_claimed: false },
    ]) {
      expect((await call(operator, 'PATCH /v1/operator/settings', body)).status).toBe(400)
    }
    const [event] = await platform.database.sql`
      select before, after from svc.audit_events where action = 'operator.settings.update'`
    expect(event).toMatchObject({ before: { sign_up: 'invitation' }, after: { sign_up: 'open' } })
  })

  test('lists people newest first, in pages, by a part of their address', async () => {
    const { body } = await call(operator, 'GET /v1/operator/users?limit=1')
    expect(body.users).toHaveLength(1)
    const all = await call(operator, 'GET /v1/operator/users')
    const ids = all.body.users.map(({ user_id }: { user_id: string }) => user_id)
    expect(ids).toEqual([...ids].sort().reverse())
    const next = await call(operator, `GET /v1/operator/users?limit=1&cursor=${ids[0]}`)
    expect(next.body.users[0].user_id).toBe(ids[1])
    const found = await call(operator, `GET /v1/operator/users?q=${person.email.slice(0, 12).toUpperCase()}`)
    expect(found.body.users).toMatchObject([{ email: person.email, is_operator: false }])
    expect((await call(operator, 'GET /v1/operator/users?limit=1001')).status).toBe(400)
    expect((await call(operator, 'GET /v1/operator/users?cursor=x')).status).toBe(400)
    expect(JSON.stringify(all.body)).not.toMatch(/password|hash/)
  })

  test('leaves a trace by name when reading the mailbox', async () => {
    await call(operator, 'GET /v1/operator/mailbox')
    const [row] = await platform.database.sql`
      select count(*)::int as n from svc.audit_events
      where action = 'operator.mailbox.read' and actor_user_id = ${operator.userId}`
    expect(row?.n).toBeGreaterThan(0)
  })
})
