import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type GatewayWorld, operatorKey, startGatewayWorld } from '../testing/gateway-world.ts'

let world: GatewayWorld
beforeAll(async () => {
  world = await startGatewayWorld()
})
afterAll(() => world?.stop())

const messages = [{ role: 'user' as const, content: 'hi' }]
const mebibyte = 1024 * 1024

describe('bodies', () => {
  test('bodies beyond the room there is are told to come back, before they are read, and the rest is served', async () => {
    const body = JSON.stringify({ model: 'silent', messages: [{ role: 'user', content: 'x'.repeat(8 * mebibyte) }] })
    const answers = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const headers = { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' }
        const answer = await fetch(`${world.base}/chat/completions`, { method: 'POST', headers, body })
        const { code } = (await answer.json()) as { code: string }
        return { status: answer.status, code, retryAfter: answer.headers.get('retry-after') }
      }),
    )
    const shed = answers.filter(({ status }) => status === 503)
    expect(shed.length).toBeGreaterThanOrEqual(4)
    expect(shed.length).toBeLessThan(12)
    expect(shed[0]).toEqual({ status: 503, code: 'gateway_overloaded', retryAfter: '2' })
    expect(answers.filter(({ status }) => status !== 503 && status !== 504)).toEqual([])
    expect((await world.chat({ model: 'good', messages })).status).toBe(200)
  })

  test('a prompt of ten megabytes passes whole, and what the gateway does not know of it too', async () => {
    const content = 'é'.repeat(5 * mebibyte)
    const unknown = { seed: 12_345_678_901_234_567_890n }
    const text = `{"messages":[{"role":"user","content":${JSON.stringify(content)}}],"seed":${unknown.seed},"model":"good"}`
    const headers = { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' }
    const answer = await fetch(`${world.base}/chat/completions`, { method: 'POST', headers, body: text })
    expect(answer.status).toBe(200)
    const seen = world.upstream.requests.at(-1)
    expect(seen?.text.length).toBe(text.length)
    expect(seen?.text).toContain(`"seed":${unknown.seed}`)
  })

  test('a model is named once on its way out, however the request spells it', async () => {
    const spellings = [
      '{"model":"claude","messages":[{"role":"user","content":"hi"}],"metadata":{"model":"other"}}',
      '{"metadata":{"model":"claude"},"messages":[{"role":"user","content":"hi"}],"\\u006dodel":"good"}',
      '{"model":"other","messages":[{"role":"user","content":"hi"}],"model":"good"}',
    ]
    const headers = { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' }
    for (const body of spellings) {
      const answer = await fetch(`${world.base}/chat/completions`, { method: 'POST', headers, body })
      expect(answer.status).toBe(200)
      const wanted = answer.headers.get('x-svc-model') === 'good' ? 'good' : 'claude-x'
      expect(world.upstream.requests.at(-1)?.body.model).toBe(wanted)
    }
  })

  test('an output limit that is given twice binds by the larger, and by the name that the upstream reads', async () => {
    await world.chat({ model: 'good', messages, max_tokens: 7, max_completion_tokens: 300 })
    expect(world.upstream.requests.at(-1)?.body).toMatchObject({ max_tokens: 300 })
    expect(world.upstream.requests.at(-1)?.body).not.toHaveProperty('max_completion_tokens')
    await world.own('PUT /gateway/budgets', { scope: 'project', limit_usd: 0.05 })
    const many = await world.chat({ model: 'good', messages, max_tokens: 20, n: 100 })
    expect([many.status, many.body.code]).toEqual([402, 'budget_exceeded'])
    // What binds no upstream, as another protocol's limit or less than one, is none: the cap is sent in its place.
    const unbound = [
      ['chat/completions', { model: 'good', messages, max_output_tokens: 1 }],
      ['chat/completions', { model: 'good', messages, max_tokens: -1 }],
      ['responses', { model: 'good', input: 'hi', max_tokens: 1 }],
    ] as const
    for (const [path, body] of unbound) {
      const answer = await world.call(world.key, `POST /v1/llm/${path}`, body)
      const capped = Number(answer.headers.get('x-svc-output-capped'))
      expect([answer.status, capped > 0 && capped < 1_000]).toEqual([200, true])
      expect(world.upstream.requests.at(-1)?.body.max_tokens).toBe(capped)
    }
    const { body } = await world.own('GET /gateway/budgets')
    await world.own(`DELETE /gateway/budgets/${body.budgets[0].budget_id}`)
  })

  test.each([
    { n: '100' },
    { max_tokens: '5' },
    { stream: 1 },
    { MODEL: 'claude' },
    { Max_Tokens: 9 },
    { '\u017ftream': true },
  ])('what one upstream would read otherwise than another is refused: %j', async (odd) => {
    const seen = world.upstream.requests.length
    const answer = await world.chat({ model: 'good', messages, ...odd })
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_json'])
    expect(world.upstream.requests.length).toBe(seen)
  })

  test('with the operator’s key nothing is chosen that costs more than the price says', async () => {
    for (const dearer of [{ service_tier: 'priority' }, { background: true }, { speed: 'fast' }]) {
      const answer = await world.chat({ model: 'good', messages, ...dearer })
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_json'])
    }
    expect((await world.chat({ model: 'good', messages, service_tier: 'auto' })).status).toBe(200)
  })

  test('arguments of a tool that are no JSON pass as they came where they may, and are empty where they may not', async () => {
    const tools = [{ type: 'function' as const, function: { name: 'look', parameters: { type: 'object' } } }]
    const openai = new OpenAI({ apiKey: world.key, baseURL: world.base, maxRetries: 0 })
    const answer = await openai.chat.completions.create({ model: 'broken-tool', messages, tools })
    expect(answer.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { arguments: '{"at":' } })
    const anthropic = new Anthropic({ apiKey: world.key, baseURL: world.base, maxRetries: 0 })
    const claudeTools = [{ name: 'look', input_schema: { type: 'object' as const } }]
    const asked = { model: 'broken-tool', max_tokens: 9, messages, tools: claudeTools }
    expect((await anthropic.messages.create(asked)).content.at(-1)).toMatchObject({ type: 'tool_use', input: {} })
    const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":' } }
    const history = [
      ...messages,
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'x' },
    ]
    expect((await world.chat({ model: 'claude', messages: history })).status).toBe(200)
    expect((await world.chat({ model: 'gemini', messages: history })).status).toBe(200)
  })
})

describe('where a call must not lead', () => {
  test.each(['good\r\nx-evil: 1', 'openai/a b', 'a\u0000b', 'openai/\ud800'])(
    'a model called %j is none, and nothing of it reaches a header',
    async (model) => {
      const answer = await world.chat({ model, messages })
      expect([answer.status, answer.body.code]).toEqual([400, 'model_not_found'])
      expect(answer.headers.get('x-evil')).toBeNull()
    },
  )

  test('a key that would break out of its header is refused, and a redirect is not followed', async () => {
    const delivery = { strategy: 'broker', consumer: 'llm_gateway' }
    await world.own('POST /secrets', { name: 'OPENAI_API_KEY', value: 'sk-a\r\nx-evil: 1', ...delivery })
    const code = async () => (await world.chat({ model: 'openai/gpt-4o', messages })).body.code
    await expect.poll(code).toBe('provider_reauth_required')
    const seen = world.upstream.requests.length
    const moved = await world.chat({ model: 'redirect', messages })
    expect([moved.status, moved.body.code]).toEqual([502, 'upstream_error'])
    expect(world.upstream.requests.length).toBe(seen + 1)
  })

  test('a base URL that a project names leads to no address inside, however it is written', async () => {
    const delivery = { strategy: 'broker', consumer: 'llm_gateway' }
    const { port } = new URL(world.upstream.url)
    const urls = {
      A: `http://127.0.0.1:${port}/v1`,
      B: `http://localhost:${port}/v1`,
      C: `http://[::ffff:127.0.0.1]:${port}/v1`,
      D: `http://2130706433:${port}/v1`,
      E: 'http://169.254.169.254/latest',
      F: 'file:///etc/passwd',
      G: 'not a url',
    }
    for (const [name, value] of Object.entries(urls)) {
      await world.own('POST /secrets', { name: `LLM_${name}_BASE_URL`, value, ...delivery })
    }
    const seen = world.upstream.requests.length
    for (const name of Object.keys(urls)) {
      const asked = async () => (await world.chat({ model: `${name.toLowerCase()}/any`, messages })).body.code
      await expect.poll(asked).toBe('model_unavailable')
    }
    expect(world.upstream.requests.length).toBe(seen)
  })
})

test('a key that a provider repeats in its refusal is hidden from the caller and from the log', async () => {
  const refused = await world.chat({ model: 'status-401', messages })
  expect(refused.body.message).toBe(`as asked: 401 for Bearer ${'*'.repeat(operatorKey.length)}`)
  const { body } = await world.own('GET /gateway/logs?limit=1')
  expect(JSON.stringify(body)).not.toContain(operatorKey)
})

test('a key that a provider repeats in its answer reaches nobody, in whichever protocol and way', async () => {
  const asked = { model: 'echo', max_tokens: 50, messages }
  const told = `asked with Bearer ${'*'.repeat(operatorKey.length)}`
  for (const stream of [false, true]) {
    for (const path of ['chat/completions', 'messages', 'responses']) {
      const body = path === 'responses' ? { model: 'echo', input: 'hi', stream } : { ...asked, stream }
      const answer = await world.call(world.key, `POST /v1/llm/${path}`, body)
      const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
      expect([answer.status, text.includes(told), text.includes(operatorKey)]).toEqual([200, true, false])
    }
  }
  const played = await world.own('POST /gateway/playground', { prompt: 'hi', models: ['echo'] })
  expect(played.body.results[0].output).toBe(told)
})

test('a stored response is continued with nobody else’s key, and its unknown length is reserved in full', async () => {
  const asked = { model: 'good', input: 'hi', previous_response_id: 'resp_of_somebody' }
  const managed = await world.call(world.key, 'POST /v1/llm/responses', asked)
  expect([managed.status, managed.body.code]).toEqual([400, 'invalid_json'])
  const input = [{ type: 'item_reference', id: 'msg_of_somebody' }]
  const referred = await world.call(world.key, 'POST /v1/llm/responses', { model: 'good', input })
  expect([referred.status, referred.body.code]).toEqual([400, 'invalid_json'])
  await world.own('PUT /gateway/budgets', { scope: 'project', limit_usd: 0.05 })
  const content = [{ type: 'file', file: { file_id: 'file-1' } }]
  const named = await world.chat({ model: 'good', messages: [{ role: 'user', content }], max_tokens: 5 })
  expect([named.status, named.body.code]).toEqual([402, 'budget_exceeded'])
  const escaped = JSON.stringify({ model: 'good', messages: [{ role: 'user', content }], max_tokens: 5 })
  const headers = { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' }
  const body = escaped.replace('"file_id"', '"\\u0066ile_id"')
  expect((await fetch(`${world.base}/chat/completions`, { method: 'POST', headers, body })).status).toBe(402)
  const { body: kept } = await world.own('GET /gateway/budgets')
  await world.own(`DELETE /gateway/budgets/${kept.budgets[0].budget_id}`)
})

describe('upstreams that go away', () => {
  test('one that dies before its first byte lets another take over, and alone is a 502', async () => {
    const alone = await world.chat({ model: 'dies', messages })
    expect([alone.status, alone.body.error.attempt_failures[0].stage]).toEqual([502, 'dispatch'])
    const rule = { model: 'dies', fallbackModels: ['good'], fallbackOn: 'transient' }
    await world.own('PUT /gateway/routing-policy', { rules: [rule] })
    for (const stream of [false, true]) {
      const answer = await world.chat({ model: 'dies', messages, stream })
      expect([answer.status, answer.headers.get('x-svc-model')]).toEqual([200, 'good'])
    }
    await world.own('DELETE /gateway/routing-policy')
  })

  test('usage that is wrong costs what is told, never less than nothing and never more than a number', async () => {
    const answer = await world.chat({ model: 'wrong-usage', messages })
    expect(answer.status).toBe(200)
    const { body } = await world.own('GET /gateway/logs?limit=1')
    expect(body.logs[0]).toMatchObject({ ok: true, input_tokens: 0, output_tokens: 1_000_000_000, cached_tokens: 0 })
  })
})
