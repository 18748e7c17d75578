import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GatewayWorld, startGatewayWorld } from '../testing/gateway-world.ts'

let world: GatewayWorld
let openai: OpenAI
let anthropic: Anthropic
beforeAll(async () => {
  world = await startGatewayWorld()
  openai = new OpenAI({ apiKey: world.key, baseURL: world.base, maxRetries: 0 })
  anthropic = new Anthropic({ apiKey: world.key, baseURL: world.base, maxRetries: 0 })
})
afterAll(() => world?.stop())

const messages = [{ role: 'user' as const, content: 'hi' }]
const tool = { name: 'look', description: 'look', parameters: { type: 'object', properties: {} } }
const chatTools = [{ type: 'function' as const, function: tool }]
const claudeTools = [{ name: 'look', description: 'look', input_schema: { type: 'object' as const, properties: {} } }]

describe('the official OpenAI client', () => {
  test.each(['good', 'claude', 'gemini'])('gets a whole answer from %s, with a tool call and usage', async (model) => {
    const answer = await openai.chat.completions.create({ model, messages, tools: chatTools })
    expect(answer.choices[0]?.message.content).toBe('hello world')
    expect(answer.choices[0]?.finish_reason).toBe('tool_calls')
    expect(answer.choices[0]?.message.tool_calls?.[0]).toMatchObject({
      function: { name: 'look', arguments: '{"at":"sky"}' },
    })
    expect(answer.usage).toMatchObject({ prompt_tokens: 100, completion_tokens: 20 })
  })

  test.each(['good', 'claude', 'gemini', 'scripted'])(
    'gets a stream from %s that ends with its usage',
    async (model) => {
      const stream = await openai.chat.completions.create({ model, messages, stream: true })
      let text = ''
      let total = 0
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? ''
        total = chunk.usage?.prompt_tokens ?? total
      }
      if (model !== 'scripted') expect([text, total]).toEqual(['hello world', 100])
      expect(total).toBeGreaterThan(0)
    },
  )

  test.each(['good', 'claude', 'gemini'])('gets responses from %s, whole and as a stream', async (model) => {
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
  test.each(['claude', 'good', 'gemini'])('gets a whole answer from %s, with a tool call and usage', async (model) => {
    const answer = await anthropic.messages.create({ model, max_tokens: 50, messages, tools: claudeTools })
    expect(answer.content).toMatchObject([
      { type: 'text', text: 'hello world' },
      { type: 'tool_use', name: 'look', input: { at: 'sky' } },
    ])
    expect([answer.stop_reason, answer.usage.output_tokens]).toEqual(['tool_use', 20])
    expect(answer.usage.input_tokens + (answer.usage.cache_read_input_tokens ?? 0)).toBe(100)
  })

  test.each(['claude', 'good', 'gemini'])('gets a stream from %s', async (model) => {
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

describe('upstreams that fail', () => {
  test('the operator’s key reaches the upstream, the caller’s does not', async () => {
    await world.chat({ model: 'good', messages })
    const seen = world.upstream.requests.at(-1)
    expect(seen?.headers.authorization).toBe('Bearer sk-operator')
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
    await expect.poll(() => world.upstream.aborted, { timeout: 10_000 }).toBe(before + 1)
    await expect
      .poll(async () => (await world.own('GET /gateway/logs?limit=1')).body.logs[0].error_code, { timeout: 10_000 })
      .toBe('client_disconnected')
  })
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
