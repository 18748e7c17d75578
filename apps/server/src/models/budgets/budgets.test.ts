import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GatewayWorld, startGatewayWorld } from '../testing/gateway-world.ts'

let world: GatewayWorld
beforeAll(async () => {
  const timeouts = { connect_ms: 2_000, first_byte_ms: 30_000, idle_ms: 30_000, playground_ms: 1_000 }
  world = await startGatewayWorld({ timeouts })
})
afterAll(() => world?.stop())

const messages = [{ role: 'user', content: 'hi' }]
const parallelCalls = process.env.SVC_TEST_LONG === '1' ? 500 : 60

async function readBudget(scope: string) {
  const { body } = await world.own('GET /gateway/budgets')
  return body.budgets.find((row: { scope: string }) => row.scope === scope)
}

test('calls in parallel at the edge of a budget spend it and never more', async () => {
  const limit_usd = 0.05
  const set = await world.own('PUT /gateway/budgets', {
    scope: 'key',
    subject_id: world.keyId,
    limit_usd,
    period: 'day',
  })
  expect(set.status).toBe(200)
  const answers = await Promise.all(
    Array.from({ length: parallelCalls }, () => world.chat({ model: 'good', messages, max_tokens: 20 })),
  )
  const statuses = new Set(answers.map(({ status }) => status))
  expect([...statuses].sort()).toEqual([200, 402])
  const refused = answers.find(({ status }) => status === 402)
  expect(refused?.body.error).toMatchObject({ code: 'budget_exceeded' })
  const passed = answers.filter(({ status }) => status === 200).length
  // Each call costs 3168 micro-dollars and holds less than 4000 until that is known.
  expect(passed).toBeGreaterThanOrEqual(12)
  const budget = await readBudget('key')
  expect(Math.round(budget.spent_usd * 1e6)).toBe(passed * 3_168)
  expect(budget.spent_usd).toBeLessThanOrEqual(limit_usd)
  const { sql } = world.world.platform.database
  const [period] = await sql`
    select leased_micros::int as leased, (select sum(micros)::int from svc.model_budget_leases) as held
    from svc.model_budget_periods where budget_id = ${budget.budget_id}`
  expect(period?.leased).toBe(period?.held)
  await world.own(`DELETE /gateway/budgets/${budget.budget_id}`)
})

/** Every way to call a model, whole and as a stream, with the worst that it can cost. */
const ways: readonly (readonly [path: string, body: object])[] = [
  ['chat/completions', { messages, max_tokens: 20 }],
  ['chat/completions', { messages, max_tokens: 20, stream: true }],
  ['responses', { input: 'hi', max_output_tokens: 20 }],
  ['responses', { input: 'hi', max_output_tokens: 20, stream: true }],
  ['messages', { messages, max_tokens: 20 }],
  ['v1/messages', { messages, max_tokens: 20, stream: true }],
  ['embeddings', { input: 'hi' }],
]

test('every endpoint counts, and calls in parallel by all of them spend a budget and never more', async () => {
  const limit_usd = 0.1
  const { key, keyId, spent, remove } = await addLimitedKey(limit_usd)
  const ask = ([path, body]: (typeof ways)[number], at: number) =>
    world.call(key, `POST /v1/llm/${path}`, {
      ...body,
      model: at % 2 === 0 || path === 'embeddings' ? 'good' : 'claude',
    })
  let before = 0
  for (const way of ways) {
    expect([way[0], (await ask(way, 0)).status]).toEqual([way[0], 200])
    const after = await spent()
    expect(after).toBeGreaterThan(before)
    before = after
  }
  const seen = world.upstream.requests.length
  const calls = Array.from({ length: parallelCalls }, (_, at) => ask(ways[at % ways.length] ?? ['', {}], at))
  const answers = await Promise.all(calls)
  expect([...new Set(answers.map(({ status }) => status))].sort()).toEqual([200, 402])
  const passed = answers.filter(({ status }) => status === 200).length
  expect(world.upstream.requests.length - seen).toBe(passed)
  const micros = Math.round((await spent()) * 1e6)
  const { sql } = world.world.platform.database
  const [rows] = await sql`
    select count(*)::int as calls, count(*) filter (where ok)::int as whole,
      count(distinct (endpoint, streaming)) filter (where ok)::int as ways,
      sum(svc_micros + provider_micros)::int as micros
    from svc.model_calls where key_id = ${keyId}`
  expect(rows).toMatchObject({ calls: parallelCalls + ways.length, whole: passed + ways.length, ways: ways.length })
  expect(micros).toBe(rows?.micros)
  expect(micros).toBeLessThanOrEqual(limit_usd * 1e6)
  expect(micros).toBeGreaterThan((limit_usd * 1e6) / 2)
  await remove()
})

test('a budget of a member, an agent, a session or a key binds its own calls and nobody else’s', async () => {
  const { sessionToken, owner } = world.world
  const writer = await sessionToken(world.project, { svc_cli: 'all', agent: 'writer' })
  const reader = await sessionToken(world.project, { svc_cli: 'all', agent: 'reader' })
  const ask = async (token: string) => (await world.chat({ model: 'good', messages, max_tokens: 5 }, token)).status
  const scopes = [
    ['member', { subject_user_id: owner.userId }, [402, 402, 402]],
    ['agent', { subject_id: 'writer' }, [200, 402, 200]],
    ['session', { subject_id: writer.sessionId }, [200, 402, 200]],
    ['key', { subject_id: world.keyId }, [402, 200, 200]],
  ] as const
  for (const [scope, subject, expected] of scopes) {
    await world.own('PUT /gateway/budgets', { scope, ...subject, limit_usd: 0.000001 })
    const seen = [await ask(world.key), await ask(writer.token), await ask(reader.token)]
    expect([scope, ...seen]).toEqual([scope, ...expected])
    await world.own(`DELETE /gateway/budgets/${(await readBudget(scope)).budget_id}`)
  }
})

test('a limit that is lowered below what is spent lets nothing more through, and one that is raised does', async () => {
  const { key, keyId, remove } = await addLimitedKey(100)
  const ask = () => world.call(key, 'POST /v1/llm/chat/completions', { model: 'good', messages, max_tokens: 20 })
  const setLimit = (limit_usd: number) =>
    world.own('PUT /gateway/budgets', { scope: 'key', subject_id: keyId, limit_usd, period: 'day' })
  expect((await ask()).status).toBe(200)
  await setLimit(0.0001)
  const refused = await ask()
  expect([refused.status, refused.body.message]).toEqual([402, expect.stringContaining('$0.0001 a day')])
  await setLimit(1)
  expect((await ask()).status).toBe(200)
  await remove()
})

/** A key that nothing was spent with yet, under a budget of its own. */
async function addLimitedKey(limit_usd: number) {
  const { body: made } = await world.own('POST /gateway/keys', { name: 'limited' })
  await world.own('PUT /gateway/budgets', { scope: 'key', subject_id: made.key_id, limit_usd, period: 'day' })
  const read = async () => {
    const { body } = await world.own('GET /gateway/budgets')
    return body.budgets.find((row: { subject_id: string }) => row.subject_id === made.key_id)
  }
  return {
    key: String(made.secret_key),
    keyId: String(made.key_id),
    spent: async (): Promise<number> => (await read()).spent_usd,
    remove: async () => world.own(`DELETE /gateway/budgets/${(await read()).budget_id}`),
  }
}

test('the audit log tells once that a budget is nearly spent, before it is', async () => {
  const { key, keyId, spent, remove } = await addLimitedKey(0.02)
  const ask = () => world.call(key, 'POST /v1/llm/chat/completions', { model: 'good', messages, max_tokens: 20 })
  const { sql } = world.world.platform.database
  const warnings = () => sql`
    select project_id, metadata from svc.audit_events where action = 'gateway.budget_nearly_spent'
      and metadata->>'subject' = ${keyId}`
  const before = []
  while ((await ask()).status === 200) {
    if ((await spent()) < 0.016) before.push(...(await warnings()))
  }
  expect(before).toEqual([])
  const told = await warnings()
  expect(told).toMatchObject([{ metadata: { scope: 'key', limit_usd: 0.02, period: 'day', budget_action: 'block' } }])
  expect(told[0]?.metadata.spent_usd).toBeGreaterThanOrEqual(0.016)
  await world.own('PUT /gateway/budgets', { scope: 'key', subject_id: keyId, limit_usd: 0.03, period: 'day' })
  while ((await ask()).status === 200) await spent()
  expect((await warnings()).map(({ metadata }) => metadata.limit_usd).sort()).toEqual([0.02, 0.03])
  await remove()
})

/** Short to us, long to a model: each counts as much as the model takes. */
const longInputs: readonly (readonly [path: string, body: object])[] = [
  [
    'chat/completions',
    say({ type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' } }),
  ],
  ['chat/completions', say({ type: 'input_audio', input_audio: { data: 'UklG', format: 'wav' } })],
  ['chat/completions', say({ type: 'image_url', image_url: { url: 'https://pictures.example/a.png' } })],
  ['chat/completions', say({ type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } })],
  ['chat/completions', say({ type: 'image_url', image_url: { url: 'data:application/pdf;base64,JVBE' } })],
  ['chat/completions', say({ type: 'something_new', data: 'x' })],
  ['messages', say({ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' } })],
  [
    'messages',
    say({
      type: 'tool_result',
      tool_use_id: 't',
      content: [{ type: 'image', source: { type: 'url', url: 'https://pictures.example/a.png' } }],
    }),
  ],
  [
    'responses',
    { input: [{ role: 'user', content: [{ type: 'input_file', file_data: 'data:application/pdf;base64,JV' }] }] },
  ],
]

function say(part: object): object {
  return { messages: [{ role: 'user', content: [part] }] }
}

test.each(longInputs)(
  'calls in parallel never pass a budget by what a model reads of them: %s %j',
  async (path, body) => {
    const limit_usd = 0.6
    const { key, remove, spent } = await addLimitedKey(limit_usd)
    const asked = { model: 'full-context', max_tokens: 20, max_output_tokens: 20, ...body }
    const answers = await Promise.all(
      Array.from({ length: Math.ceil(parallelCalls / 4) }, () => world.call(key, `POST /v1/llm/${path}`, asked)),
    )
    expect([...new Set(answers.map(({ status }) => status))].sort()).toEqual([200, 402])
    const passed = answers.filter(({ status }) => status === 200).length
    expect(Math.round((await spent()) * 1e6)).toBe(passed * 122_400)
    expect(await spent()).toBeLessThanOrEqual(limit_usd)
    await remove()
  },
)

test('a tool that the provider runs itself is refused under a blocking budget where it would reach it', async () => {
  const { key, remove } = await addLimitedKey(50)
  const search = [{ type: 'web_search_20250305', name: 'web_search' }]
  const asked: readonly (readonly [path: string, body: object])[] = [
    ['messages', { model: 'claude', max_tokens: 20, messages, tools: search }],
    [
      'messages',
      { model: 'claude', max_tokens: 20, messages, mcp_servers: [{ type: 'url', url: 'https://a.example' }] },
    ],
    ['chat/completions', { model: 'good', max_tokens: 20, messages, web_search_options: {} }],
    ['chat/completions', { model: 'good', max_tokens: 20, messages, tools: [{ type: 'openrouter:web_search' }] }],
  ]
  const seen = world.upstream.requests.length
  for (const [path, body] of asked) {
    const refused = await world.call(key, `POST /v1/llm/${path}`, body)
    const { code, message } = refused.body.error
    expect([refused.status, code]).toEqual([402, 'budget_exceeded'])
    expect(message).toMatch(/runs “.+” itself, at a cost that nobody knows before/)
  }
  expect(world.upstream.requests.length).toBe(seen)
  // Between protocols only functions pass, so nothing of the kind can cost anything.
  const input = [{ role: 'user', content: 'hi' }]
  const dropped = { model: 'good', input, max_output_tokens: 20, tools: [{ type: 'web_search' }] }
  expect((await world.call(key, 'POST /v1/llm/responses', dropped)).status).toBe(200)
  const own = { model: 'claude', max_tokens: 20, messages, tools: [{ type: 'bash_20250124', name: 'bash' }] }
  expect((await world.call(key, 'POST /v1/llm/messages', own)).status).toBe(200)
  await remove()
  expect((await world.call(key, 'POST /v1/llm/messages', asked[0]?.[1])).status).toBe(200)
})

test('without an output limit the answer is cut to what is left, and a header says so', async () => {
  await world.own('PUT /gateway/budgets', { scope: 'key', subject_id: world.keyId, limit_usd: 0.0999, period: 'week' })
  const budget = await readBudget('key')
  const left = 0.0999 - budget.spent_usd
  expect(left).toBeGreaterThan(0.01)
  const { status, headers } = await world.chat({ model: 'good', messages })
  expect(status).toBe(200)
  const capped = Number(headers.get('x-svc-output-capped'))
  expect(capped).toBeGreaterThan(0)
  expect(capped).toBeLessThan(1_000)
  expect(world.upstream.requests.at(-1)?.body.max_tokens).toBe(capped)
  const asked = await world.chat({ model: 'good', messages, max_tokens: 1_000 })
  expect([asked.status, asked.body.code]).toEqual([402, 'budget_exceeded'])
})

test('a model without a price is refused under a blocking budget, and passes without one', async () => {
  const refused = await world.chat({ model: 'unpriced', messages })
  expect([refused.status, refused.body.code]).toEqual([402, 'budget_exceeded'])
  await world.own(`DELETE /gateway/budgets/${(await readBudget('key')).budget_id}`)
  expect((await world.chat({ model: 'unpriced', messages })).status).toBe(200)
})

test('a budget that only warns refuses nothing', async () => {
  await world.own('PUT /gateway/budgets', { scope: 'project', limit_usd: 0.0001, action: 'warn' })
  expect((await world.chat({ model: 'good', messages })).status).toBe(200)
  const budget = await readBudget('project')
  expect(budget.spent_usd).toBeGreaterThan(budget.limit_usd)
})

test('a model that takes too long for the playground is told so beside the others, and what it began counts', async () => {
  const before = world.upstream.aborted
  const { status, body } = await world.own('POST /gateway/playground', { prompt: 'hi', models: ['silent', 'gpt-9'] })
  expect(status).toBe(200)
  expect(body.results).toMatchObject([
    { model: 'silent', ok: false, error: expect.stringMatching(/within 1 seconds.*as a stream/) },
    { model: 'gpt-9', ok: false, error: expect.stringContaining('There is no model') },
  ])
  await expect.poll(() => world.upstream.aborted, { timeout: 10_000 }).toBe(before + 1)
  const { body: logged } = await world.own('GET /gateway/logs?limit=2')
  const late = logged.logs.find((row: { requested_model: string }) => row.requested_model === 'silent')
  expect(late).toMatchObject({ status: 504, ok: false, error_code: 'upstream_error' })
  expect(late.total_cost).toBeGreaterThan(0)
})

test('every scope but the project’s needs its subject', async () => {
  const { status, body } = await world.own('PUT /gateway/budgets', { scope: 'agent', limit_usd: 1 })
  expect([status, body.code]).toEqual([400, 'validation_failed'])
})

test('the cost of a session is the sum of its rows, wherever it is read', async () => {
  const { sql } = world.world.platform.database
  const { token, sessionId } = await world.world.sessionToken(world.project)
  await sql`
    insert into svc.sessions (session_id, account_id, project_id, branch_name, base_ref, sandbox_provider, agent_name,
      runtime, status, owner_type, owner_id, created_by, origin)
    values (${sessionId}, ${world.project.account_id}, ${world.project.project_id}, 'a', 'main', 'local', 'svc',
      'opencode', 'stopped', 'user', ${world.world.owner.userId}, ${world.world.owner.userId}, 'user')`
  for (const model of ['good', 'claude', 'status-500', 'scripted']) await world.chat({ model, messages }, token)
  const { body } = await world.call(
    world.world.owner,
    `GET /v1/usage/session-costs/${sessionId}?project_id=${world.project.project_id}`,
  )
  expect(body).toMatchObject({ request_count: 4, error_count: 1, model_count: 4 })
  const micros = (rows: { cost: number }[]) => rows.reduce((sum, { cost }) => sum + Math.round(cost * 1e6), 0)
  expect(Math.round(body.total_cost * 1e6)).toBe(2 * 3_168)
  expect(micros(body.ledger_entries)).toBe(2 * 3_168)
  expect(micros(body.model_usage)).toBe(2 * 3_168)
  const listed = await world.own('GET /gateway/sessions')
  const row = listed.body.sessions.find((known: { session_id: string }) => known.session_id === sessionId)
  expect([row.total_cost, row.requests, row.models]).toEqual([body.total_cost, 4, 4])
  const list = (query: string, who: Parameters<typeof world.call>[0] = world.world.owner) =>
    world.call(who, `GET /v1/usage/session-costs?${query}`)
  const { body: page } = await list(`account_id=${world.project.account_id}`)
  const { model_usage: _usage, ledger_entries: _entries, ...summary } = body
  expect(page.sessions.find((known: { session_id: string }) => known.session_id === sessionId)).toEqual(summary)
  const overview = await world.own('GET /gateway/overview')
  const micro = (usd: number) => Math.round(usd * 1e6)
  const sum = page.sessions.reduce((all: number, { total_cost }: { total_cost: number }) => all + micro(total_cost), 0)
  expect(sum + micro(page.reconciliation.total_cost)).toBe(micro(overview.body.total_cost))
  // The same from rows alone: a window that ends within the day.
  const window = `from=${new Date(Date.now() - 3_600_000).toISOString()}&to=${new Date(Date.now() + 60_000).toISOString()}`
  const { body: today } = await list(`project_id=${world.project.project_id}&${window}`)
  expect([today.sessions, today.reconciliation]).toEqual([page.sessions, page.reconciliation])
  const backwards = await list('from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z')
  expect([backwards.status, backwards.body.code]).toEqual([400, 'validation_failed'])
  expect((await list('', token)).status).toBe(403)
  await sql`update svc.projects set name = '=HYPERLINK("x"),y' where project_id = ${world.project.project_id}`
  for (const path of ['session-costs.csv?', 'session-costs?format=csv&']) {
    const csv = await world.call(world.world.owner, `GET /v1/usage/${path}account_id=${world.project.account_id}`)
    expect([csv.status, csv.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
    expect([csv.headers.get('x-total-count'), csv.headers.get('content-disposition')]).toEqual([
      String(page.total),
      expect.stringMatching(/^attachment; filename="session-costs-[\d-]+\.csv"$/),
    ])
    const [head = '', ...rows] = String(csv.body).split('\r\n')
    const own = rows.find((line) => line.startsWith(sessionId)) ?? ''
    expect(head.split(',').slice(0, 3)).toEqual(['session_id', 'project_id', 'project_name'])
    expect(own).toContain(`,"'=HYPERLINK(""x""),y",`)
    expect(own).toContain(`,${body.total_cost},4,1,`)
  }
})
