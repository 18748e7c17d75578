import { request } from 'node:http'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPerson } from '../../../../../tests/support/people.ts'
import { type GatewayWorld, operatorKey, startGatewayWorld } from '../testing/gateway-world.ts'

let world: GatewayWorld
let openai: OpenAI
let anthropic: Anthropic
beforeAll(async () => {
  world = await startGatewayWorld()
  openai = new OpenAI({ apiKey: world.key, baseURL: world.base, maxRetries: 0 })
  anthropic = new Anthropic({ apiKey: world.key, baseURL: world.base, maxRetries: 0 })
})
afterAll(() => world?.stop())

/** Host names are the caller's own to say, and fetch does not let one. */
function requestAs(host: string, url: string, headers: Record<string, string>) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const asked = request(url, { headers: { ...headers, host } }, (incoming) => {
      let text = ''
      incoming.on('data', (chunk) => {
        text += chunk
      })
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text }))
    })
    asked.on('error', reject)
    asked.end()
  })
}

const messages = [{ role: 'user' as const, content: 'hi' }]
const tool = { name: 'look', description: 'look', parameters: { type: 'object', properties: {} } }
const chatTools = [{ type: 'function' as const, function: tool }]
const claudeTools = [{ name: 'look', description: 'look', input_schema: { type: 'object' as const, properties: {} } }]

/** One for each protocol that upstreams speak: chat, messages, Google's, and responses alone. */
const upstreams = ['good', 'claude', 'gemini', 'codex-plan']

describe('the official OpenAI client', () => {
  test.each(upstreams)('gets a whole answer from %s, with a tool call and usage', async (model) => {
    const answer = await openai.chat.completions.create({ model, messages, tools: chatTools })
    expect(answer.choices[0]?.message.content).toBe('hello world')
    expect(answer.choices[0]?.finish_reason).toBe('tool_calls')
    expect(answer.choices[0]?.message.tool_calls?.[0]).toMatchObject({
      function: { name: 'look', arguments: '{"at":"sky"}' },
    })
    expect(answer.usage).toMatchObject({ prompt_tokens: 100, completion_tokens: 20 })
  })

  test.each([...upstreams, 'scripted'])('gets a stream from %s that ends with its usage', async (model) => {
    const stream = await openai.chat.completions.create({ model, messages, stream: true })
    let text = ''
    let total = 0
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? ''
      total = chunk.usage?.prompt_tokens ?? total
    }
    if (model !== 'scripted') expect([text, total]).toEqual(['hello world', 100])
    expect(total).toBeGreaterThan(0)
  })

  test.each(upstreams)('gets responses from %s, whole and as a stream', async (model) => {
    const whole = await openai.responses.create({ model, input: 'hi' })
    expect([whole.output_text, whole.usage?.input_tokens]).toEqual(['hello world', 100])
    const types: string[] = []
    let text = ''
    for await (const event of await openai.responses.create({ model, input: 'hi', stream: true })) {
      types.push(event.type)
      if (event.type === 'response.output_text.delta') text += event.delta
    }
    expect(text).toBe('hello world')
    expect([types[0], types.at(-1)]).toEqual(['response.created', 'response.completed'])
  })

  test('gets embeddings and the list of models', async () => {
    const { data } = await openai.embeddings.create({ model: 'good', input: 'hi', encoding_format: 'float' })
    expect(data[0]?.embedding).toEqual([0.5, 0.25])
    const ids: string[] = []
    for await (const model of openai.models.list()) ids.push(model.id)
    expect(ids).toContain('good')
    expect(ids).toContain('scripted')
  })

  test('is told in OpenAI’s shape what is wrong', async () => {
    const refused = openai.chat.completions.create({ model: 'gpt-9', messages })
    await expect(refused).rejects.toMatchObject({ status: 400, code: 'model_not_found' })
    const empty = openai.chat.completions.create({ model: 'good', messages: [] })
    await expect(empty).rejects.toMatchObject({ status: 400, code: 'invalid_json' })
  })
})

describe('the official Anthropic client', () => {
  test.each(upstreams)('gets a whole answer from %s, with a tool call and usage', async (model) => {
    const answer = await anthropic.messages.create({ model, max_tokens: 50, messages, tools: claudeTools })
    expect(answer.content).toMatchObject([
      { type: 'text', text: 'hello world' },
      { type: 'tool_use', name: 'look', input: { at: 'sky' } },
    ])
    expect([answer.stop_reason, answer.usage.output_tokens]).toEqual(['tool_use', 20])
    expect(answer.usage.input_tokens + (answer.usage.cache_read_input_tokens ?? 0)).toBe(100)
  })

  test.each(upstreams)('gets a stream from %s', async (model) => {
    const stream = anthropic.messages.stream({ model, max_tokens: 50, messages, tools: claudeTools })
    const final = await stream.finalMessage()
    expect(final.content).toMatchObject([{ text: 'hello world' }, { type: 'tool_use', input: { at: 'sky' } }])
    expect(final.usage.output_tokens).toBe(20)
  })

  test('is told in Anthropic’s shape what is wrong', async () => {
    const refused = anthropic.messages.create({ model: 'gpt-9', max_tokens: 50, messages })
    await expect(refused).rejects.toMatchObject({ status: 400, error: { type: 'error' } })
    const nobody = new Anthropic({ apiKey: 'nonsense', baseURL: world.base, maxRetries: 0 })
    const stranger = nobody.messages.create({ model: 'claude', max_tokens: 5, messages })
    await expect(stranger).rejects.toMatchObject({ status: 401, error: { error: { type: 'authentication_error' } } })
  })
})

describe('ways in, providers and what is kept', () => {
  test('the gateway answers at its aliases, and on its own host nothing else does', async () => {
    const aliased = new OpenAI({ apiKey: world.key, baseURL: `${world.origin}/v1/openai`, maxRetries: 0 })
    expect((await aliased.chat.completions.create({ model: 'good', messages })).choices).toHaveLength(1)
    const ids = (await aliased.models.list()).data.map(({ id }) => id)
    expect(ids).toContain('good')
    const alone = (path: string) =>
      requestAs('models.localhost', `${world.origin}${path}`, { authorization: `Bearer ${world.key}` })
    expect(await alone('/v1/models')).toMatchObject({ status: 200, text: expect.stringContaining('"good"') })
    expect((await alone('/v1/accounts')).status).toBe(404)
    expect((await alone('/')).status).toBe(404)
  })

  test.each(['/health', '/models?scope=managed'])('%s answers', async (path) => {
    const answer = await fetch(`${world.base}${path}`, { headers: { authorization: `Bearer ${world.key}` } })
    expect(answer.status).toBe(200)
  })

  test('a picture reaches each upstream in its own words', async () => {
    const url = 'data:image/png;base64,aGk='
    const content = [
      { type: 'text' as const, text: 'what is this' },
      { type: 'image_url' as const, image_url: { url } },
    ]
    const seen = async (model: string) => {
      await openai.chat.completions.create({ model, messages: [{ role: 'user', content }] })
      return JSON.stringify(world.upstream.requests.at(-1)?.body)
    }
    expect(await seen('good')).toContain(`{"type":"image_url","image_url":{"url":"${url}"}}`)
    expect(await seen('claude')).toContain('{"type":"base64","media_type":"image/png","data":"aGk="}')
    expect(await seen('gemini')).toContain('{"inlineData":{"mimeType":"image/png","data":"aGk="}}')
  })

  test('Google gets its key in its own header, results by name, and its signatures back', async () => {
    const first = await openai.chat.completions.create({ model: 'gemini', messages, tools: chatTools })
    const said = first.choices[0]?.message
    if (!said) throw new Error('no message')
    const id = said.tool_calls?.[0]?.id ?? ''
    const history = [...messages, said, { role: 'tool' as const, tool_call_id: id, content: 'blue' }]
    await openai.chat.completions.create({ model: 'gemini', messages: history, tools: chatTools })
    const seen = world.upstream.requests.at(-1)
    expect(seen?.headers['x-goog-api-key']).toBe(operatorKey)
    expect(seen?.path).toBe('/v1beta/models/gemini-3-x:generateContent')
    expect(seen?.body.contents).toEqual([
      { role: 'user', parts: [{ text: 'hi' }] },
      {
        role: 'model',
        parts: [
          { text: 'hello world' },
          { functionCall: { name: 'look', args: { at: 'sky' } }, thoughtSignature: 'c2ln' },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { name: 'look', response: { result: 'blue' } } }] },
    ])
    const vectors = await openai.embeddings.create({ model: 'gemini', input: ['a', 'b'] })
    expect(vectors.data.map(({ embedding }) => embedding)).toEqual([
      [0.5, 0.25],
      [0.5, 0.25],
    ])
  })

  test('a subscription’s calls count tokens and cost nothing, also under a budget', async () => {
    const delivery = { strategy: 'broker', consumer: 'llm_gateway' }
    await world.own('POST /secrets', { name: 'CODEX_ACCESS_TOKEN', value: 'subscribed', ...delivery })
    await world.own('PUT /gateway/budgets', { scope: 'project', limit_usd: 0.000001 })
    const asked = () => world.call(world.key, 'POST /v1/llm/responses', { model: 'codex/gpt-5-codex', input: 'hi' })
    await expect.poll(async () => (await asked()).status).toBe(200)
    const { body } = await world.own('GET /gateway/logs?limit=1')
    expect(body.logs[0]).toMatchObject({ provider: 'codex', input_tokens: 100, total_cost: 0, billing_mode: 'none' })
    const { body: budgets } = await world.own('GET /gateway/budgets')
    await world.own(`DELETE /gateway/budgets/${budgets.budgets[0].budget_id}`)
  })

  test('prompts are kept only when the project asks, sealed, and end', async () => {
    const detailOf = async (answer: { headers: Headers }) =>
      (await world.own(`GET /gateway/logs/${answer.headers.get('x-svc-request-id')}`)).body
    const asked = { model: 'good', messages: [{ role: 'user', content: 'a very private question' }] }
    expect(await detailOf(await world.chat(asked))).toMatchObject({ request: null, response: null })
    expect((await world.own('PUT /gateway/retention', { prompt_days: 3 })).body).toEqual({ prompt_days: 3 })
    const kept = await detailOf(await world.chat(asked))
    expect(kept).toMatchObject({ request: asked, response: { choices: [{ message: { content: 'hello world' } }] } })
    const streamed = await detailOf(await world.chat({ ...asked, stream: true }))
    expect(streamed.response.body).toContain('data: [DONE]')
    const { sql } = world.world.platform.database
    const [row] = await sql`
      select (expires_at - created_at) = interval '3 days' as is_three, position('private' in encode(sealed_request, 'escape')) as found
      from svc.model_prompts order by created_at limit 1`
    expect(row).toEqual({ is_three: true, found: 0 })
    expect(world.world.platform.logLines().join('')).not.toContain('private question')
    const [audited] =
      await sql`select count(*)::int as rows from svc.audit_events as event where event::text like '%private question%'`
    expect(audited?.rows).toBe(0)
    // Sessions are private: other members, and agents of other sessions, read what it cost and not what was said.
    const mine = await world.world.sessionToken(world.project)
    const said = (await world.chat(asked, mine.token)).headers.get('x-svc-request-id')
    const anna = await createPerson(world.world.platform)
    await world.own('POST /access/invite', { email: anna.email, role: 'member' })
    const other = await world.world.sessionToken(world.project)
    const at = `GET /v1/projects/${world.project.project_id}/gateway/logs/${said}`
    for (const [who, shown] of [
      [mine.token, asked],
      [world.world.owner, asked],
      [anna, null],
      [other.token, null],
    ] as const) {
      const read = await world.call(who, at)
      expect([read.status, read.body.request]).toEqual([200, shown])
    }
    await world.own('PUT /gateway/retention', { prompt_days: null })
    expect(await detailOf(await world.chat(asked))).toMatchObject({ request: null })
    const [left] = await sql`select count(*)::int as rows from svc.model_prompts`
    expect(left?.rows).toBe(0)
  })
})

describe('upstreams that fail', () => {
  test('the operator’s key reaches the upstream, the caller’s does not', async () => {
    await world.chat({ model: 'good', messages })
    const seen = world.upstream.requests.at(-1)
    expect(seen?.headers.authorization).toBe(`Bearer ${operatorKey}`)
    expect(JSON.stringify(seen?.headers)).not.toContain(world.key)
    expect(seen?.body.model).toBe('good')
  })

  test.each([
    ['status-429', 429],
    ['status-500', 500],
    ['status-401', 502],
    ['malformed', 502],
    ['silent', 504],
  ])('%s answers %i, says which provider and how it was tried', async (model, status) => {
    const answer = await world.chat({ model, messages })
    expect(answer.status).toBe(status)
    expect(answer.body.error).toMatchObject({ code: 'upstream_error', provider: 'svc', requested_model: model })
    expect(answer.body.request_id).toMatch(/^req_/)
    expect(answer.body.attempt_failures).toHaveLength(1)
    if (model === 'status-429') expect(answer.headers.get('retry-after')).toBe('60')
  })

  test('another model takes over when the policy says so, each once, and the log has every attempt', async () => {
    const rule = { model: 'status-500', fallbackModels: ['status-503', 'good'], fallbackOn: 'transient' }
    const probing = { model: 'stream-error', fallbackModels: ['good'], fallbackOn: 'transient' }
    const stopping = { model: 'status-400', fallbackModels: ['good'], fallbackOn: 'transient' }
    const set = await world.own('PUT /gateway/routing-policy', { rules: [rule, probing, stopping] })
    expect(set.status).toBe(200)
    const answer = await world.chat({ model: 'status-500', messages })
    expect([answer.status, answer.headers.get('x-svc-model')]).toEqual([200, 'good'])
    const streamed = await world.chat({ model: 'stream-error', messages, stream: true })
    expect([streamed.status, streamed.headers.get('x-svc-model')]).toEqual([200, 'good'])
    expect((await world.chat({ model: 'status-400', messages })).status).toBe(400)
    const { body } = await world.own('GET /gateway/logs?limit=3')
    expect(body.logs.map((row: { attempts: number }) => row.attempts)).toEqual([1, 2, 3])
    const detail = await world.own(`GET /gateway/logs/${body.logs[2].log_id}`)
    expect(detail.body.candidates_tried.map((row: { status: number }) => row.status)).toEqual([500, 503])
    await world.own('DELETE /gateway/routing-policy')
  })

  test('a model that told us to wait is asked after the others, and the preview says so', async () => {
    const rule = { model: 'gemini-429', fallbackModels: ['good'], fallbackOn: 'transient' }
    await world.own('PUT /gateway/routing-policy', { rules: [rule] })
    const preview = () => world.own('POST /gateway/routing-policy/preview', { requestedModel: 'gemini-429' })
    expect((await preview()).body.answers).toBe('gemini-429')
    const first = await world.chat({ model: 'gemini-429', messages })
    expect([first.status, first.headers.get('x-svc-model')]).toEqual([200, 'good'])
    const asked = world.upstream.requests.length
    expect((await world.chat({ model: 'gemini-429', messages })).status).toBe(200)
    expect(world.upstream.requests.length).toBe(asked + 1)
    expect((await preview()).body).toMatchObject({
      answers: 'good',
      models: [{ health: 'degraded' }, { health: 'ok' }],
    })
    await world.own('DELETE /gateway/routing-policy')
    const alone = await world.chat({ model: 'gemini-429', messages })
    expect([alone.status, alone.headers.get('retry-after')]).toEqual([429, '7'])
  })

  test('a stream that is cut says so in an event, and nothing takes over', async () => {
    const { status, body } = await world.chat({ model: 'cut', messages, stream: true })
    expect([status, body.includes('[DONE]')]).toEqual([200, false])
    expect(body).toContain('"code":"upstream_error"')
    const { body: logged } = await world.own('GET /gateway/logs?limit=1')
    expect(logged.logs[0]).toMatchObject({ ok: false, error_code: 'stream_interrupted', resolved_model: 'cut' })
  })

  test('a caller who leaves ends the call upstream', async () => {
    const before = world.upstream.aborted
    const stream = await openai.chat.completions.create({ model: 'endless', messages, stream: true })
    for await (const _chunk of stream) break
    await expect.poll(() => world.upstream.aborted).toBe(before + 1)
    await expect
      .poll(async () => (await world.own('GET /gateway/logs?limit=1')).body.logs[0].error_code)
      .toBe('client_disconnected')
  })
})

test('a subscription that speaks responses alone reads a whole conversation of chat, and its failures are failures', async () => {
  const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }
  const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }
  const history = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'see' }, picture] },
    { role: 'assistant', content: 'I look.', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c1', content: 'blue' },
  ]
  const limits = { max_tokens: 9, temperature: 0.5, reasoning_effort: 'low' }
  const asked = { model: 'codex-plan', messages: history, tools: chatTools, tool_choice: 'required', ...limits }
  expect((await world.chat(asked)).status).toBe(200)
  expect(world.upstream.requests.at(-1)).toMatchObject({
    path: '/v1/responses',
    body: {
      model: 'gpt-5-codex',
      instructions: 'Be brief.',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'see' },
            { type: 'input_image', image_url: 'data:image/png;base64,aGk=' },
          ],
        },
        { role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
        { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: 'blue' },
      ],
      tools: [{ type: 'function', name: 'look' }],
      tool_choice: 'required',
      reasoning: { effort: 'low' },
    },
  })
  const played = await world.own('POST /gateway/playground', { prompt: 'hi', models: ['codex-plan'] })
  expect(played.body.results[0]).toMatchObject({ ok: true, output: 'hello world', cost: 0 })
  for (const stream of [false, true]) {
    const failed = await world.chat({ model: 'responses-fail', messages, stream })
    expect([failed.status, failed.body.message]).toEqual([502, 'no room'])
  }
})

test('a log row has usage, price and cost to the micro-dollar, and sums are the sums of rows', async () => {
  await world.chat({ model: 'good', messages })
  const { body } = await world.own('GET /gateway/logs?limit=100')
  // 60 plain at 10, 40 cached at 1, 20 output at 100 dollars a million: 2640 micro-dollars, and a fifth for us.
  expect(body.logs[0]).toMatchObject({
    input_tokens: 100,
    cached_tokens: 40,
    output_tokens: 20,
    svc_cost: 0.003168,
    provider_cost: 0,
    billing_mode: 'credits',
    price_version: 'operator',
    key_id: world.keyId,
  })
  const overview = await world.own('GET /gateway/overview')
  const micros = (rows: { total_cost: number }[]) =>
    rows.reduce((sum, row) => sum + Math.round(row.total_cost * 1e6), 0)
  const failed = await world.own('GET /gateway/logs?limit=100&ok=false')
  expect(overview.body.requests).toBe(body.logs.length)
  expect(overview.body.errors).toBe(failed.body.logs.length)
  expect(Math.round(overview.body.total_cost * 1e6)).toBe(micros(body.logs))
  const series = await world.own('GET /gateway/series?days=2')
  expect(series.body.series).toHaveLength(2)
  expect(series.body.series[1].requests).toBe(body.logs.length)
})
