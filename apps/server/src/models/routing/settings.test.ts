import { afterAll, beforeAll, expect, test } from 'vitest'
import { type GatewayWorld, startGatewayWorld } from '../testing/gateway-world.ts'

let world: GatewayWorld
beforeAll(async () => {
  const catalog = { 'groq/llama-x': { cost: { input: 1, output: 1 } } }
  world = await startGatewayWorld({ vision_model: 'claude', fallback: { models: ['claude'] }, catalog })
})
afterAll(() => world?.stop())

const messages = [{ role: 'user', content: 'hi' }]

test('a policy is stored, explained and taken back; its default is the project’s default', async () => {
  const before = await world.own('GET /gateway/routing-policy')
  expect(before.body).toMatchObject({
    effective: { defaultModel: 'good', defaultModelSource: 'platform', visionModel: 'claude' },
    capabilities: { write: true },
  })
  const rules = [{ model: 'cut', fallbackModels: ['good', 'gone/away'], fallbackOn: 'any-error' }]
  const modelGenerationConfig = { good: { maxOutputTokens: 5_000, temperature: 9 } }
  const set = await world.own('PUT /gateway/routing-policy', { defaultModel: 'claude', rules, modelGenerationConfig })
  expect(set.body.effective).toMatchObject({ defaultModel: 'claude', defaultModelSource: 'project' })
  expect(set.body.project.modelGenerationConfig.good).toEqual({ maxOutputTokens: 1_000, temperature: 2 })
  expect((await world.own('GET /model-defaults')).body.projectDefault).toBe('claude')
  const preview = await world.own('POST /gateway/routing-policy/preview', { requestedModel: 'cut' })
  expect(preview.body.route).toMatchObject({ policyId: 'project:exact:cut', fallbackOn: 'any-error' })
  expect(preview.body.models).toEqual([
    { model: 'cut', available: true, reason: null, health: 'ok', cost: { input: 10, output: 100 } },
    { model: 'good', available: true, reason: null, health: 'ok', cost: { input: 10, output: 100 } },
    { model: 'gone/away', available: false, reason: 'model_not_found', health: 'ok', cost: null },
  ])
  const reset = await world.own('DELETE /gateway/routing-policy')
  expect(reset.body.effective).toMatchObject({ defaultModel: 'good', defaultModelSource: 'platform' })
})

test('a policy that makes no sense is refused, field by field', async () => {
  const rule = { model: 'good', fallbackModels: ['good'], fallbackOn: 'transient' }
  const itself = await world.own('PUT /gateway/routing-policy', { rules: [rule] })
  expect([itself.status, itself.body.code]).toEqual([400, 'invalid_routing_policy'])
  const twice = await world.own('PUT /gateway/routing-policy', {
    defaultFallback: { models: ['a', 'a'], fallbackOn: 'transient' },
  })
  expect([twice.status, twice.body.issues[0].path]).toEqual([400, 'defaultFallback.models'])
})

test('a picture for a default that takes none goes to the vision model', async () => {
  await world.own('PUT /model-defaults', { scope: 'project', model: 'scripted' })
  const preview = await world.own('POST /gateway/routing-policy/preview', {
    requestedModel: 'scripted',
    imageInput: true,
  })
  expect(preview.body.route.primaryModel).toBe('claude')
  await world.own('DELETE /model-defaults?scope=project')
})

test('what is switched off is refused by name, and the default cannot be', async () => {
  const off = await world.own('PUT /model-access', { target: 'model', id: 'claude', enabled: false })
  expect(off.body).toMatchObject({ disabledModels: ['claude'], defaultModel: 'good', enforced: true })
  const refused = await world.chat({ model: 'claude', messages })
  expect([refused.status, refused.body.code]).toEqual([403, 'model_disabled'])
  const own = await world.own('PUT /model-access', { target: 'model', id: 'svc/good', enabled: false })
  expect([own.status, own.body.code, own.body.defaultModel]).toEqual([409, 'cannot_disable_default', 'good'])
  const picker = await world.own('GET /model-picker')
  expect([picker.body.models.claude.enabled, picker.body.models.good.enabled]).toEqual([false, true])
  await world.own('PUT /model-access', { target: 'model', id: 'claude', enabled: true })
  expect((await world.chat({ model: 'claude', messages })).status).toBe(200)
})

test('a project’s own key opens its provider: seen by the upstream, by nobody else, and billed to the project', async () => {
  const before = await world.chat({ model: 'openai/gpt-4o', messages })
  expect([before.status, before.body.code]).toEqual([400, 'provider_not_connected'])
  const added = await world.own('POST /secrets', { name: 'OPENAI_API_KEY', value: 'sk-of-the-project' })
  expect(added.status).toBeLessThan(300)
  await expect.poll(async () => (await world.chat({ model: 'openai/gpt-4o', messages })).status).toBe(200)
  expect(world.upstream.requests.at(-1)?.headers.authorization).toBe('Bearer sk-of-the-project')
  expect(world.upstream.requests.at(-1)?.body.model).toBe('gpt-4o')
  const { body } = await world.own('GET /gateway/logs?limit=1')
  expect(body.logs[0]).toMatchObject({ provider: 'openai', billing_mode: 'none', svc_cost: 0 })
  expect(body.logs[0].provider_cost).toBeGreaterThan(0)
  expect(JSON.stringify(body)).not.toContain('sk-of')
  const catalog = await world.own('GET /llm-catalog')
  expect(catalog.body.models['openai/gpt-4o']).toMatchObject({ provider: 'openai', tool_call: true, attachment: true })
  const off = await world.own('PUT /model-access', { target: 'provider', id: 'openai', enabled: false })
  expect(off.body.disabledProviders).toEqual(['openai'])
  const refused = await world.chat({ model: 'openai/gpt-4o', messages })
  expect([refused.status, refused.body.code]).toEqual([403, 'provider_disabled'])
})

test('a model that is switched on is in the picker though no catalog knows it', async () => {
  await world.own('PUT /model-access', { target: 'provider', id: 'openai', enabled: true })
  const picked = async () => (await world.own('GET /model-picker')).body.models['openai/my-own-tuning']
  expect(await picked()).toBeUndefined()
  await world.own('PUT /model-access', { target: 'model', id: 'openai/my-own-tuning', enabled: true })
  expect(await picked()).toMatchObject({ enabled: true, provider: 'openai' })
})

test('a default that cannot be served any more gives way to a model of a connected provider that people use', async () => {
  await world.own('POST /secrets', { name: 'GROQ_API_KEY', value: 'gsk-of-the-project' })
  const set = () => world.own('PUT /model-defaults', { scope: 'project', model: 'groq/llama-x' })
  await expect.poll(async () => (await set()).status).toBe(200)
  expect((await world.own('GET /model-defaults')).body).toMatchObject({ resolvedForCaller: 'groq/llama-x' })
  expect((await world.own('DELETE /secrets/GROQ_API_KEY')).status).toBe(200)
  const resolved = async () => (await world.own('GET /model-defaults')).body.resolvedForCaller
  await expect.poll(resolved).toMatch(/^openai\/gpt-5/)
  await world.own('DELETE /model-defaults?scope=project')
})

test('what a project sets for a model reaches it in every protocol, where the caller left it out', async () => {
  const good = { reasoningEffort: 'high', temperature: 0.3, maxOutputTokens: 77 }
  await world.own('PUT /gateway/routing-policy', { modelGenerationConfig: { thinking: good } })
  const sent = async (path: string, body: object) => {
    const { status } = await world.call(world.key, `POST /v1/llm/${path}`, { model: 'thinking', ...body })
    expect(status).toBe(200)
    return world.upstream.requests.at(-1)?.body
  }
  const filled = { reasoning_effort: 'high', temperature: 0.3, max_tokens: 77 }
  expect(await sent('chat/completions', { messages })).toMatchObject(filled)
  expect(await sent('responses', { input: 'hi' })).toMatchObject(filled)
  expect(await sent('messages', { messages, max_tokens: 9 })).toMatchObject({ temperature: 0.3, max_tokens: 9 })
  const own = { ...filled, reasoning_effort: 'low' }
  expect(await sent('responses', { input: 'hi', reasoning: { effort: 'low' } })).toMatchObject(own)
  await world.own('DELETE /gateway/routing-policy')
})

test('a base URL that a project names never leads inside', async () => {
  const delivery = { strategy: 'broker', consumer: 'llm_gateway' }
  const added = await world.own('POST /secrets', { name: 'LLM_HOME_BASE_URL', value: world.upstream.url, ...delivery })
  expect(added.status).toBeLessThan(300)
  const seen = world.upstream.requests.length
  await expect.poll(async () => (await world.chat({ model: 'home/any', messages })).body.code).toBe('model_unavailable')
  expect(world.upstream.requests.length).toBe(seen)
})

test.each([
  ['no JSON', '{"model":'],
  ['a list', '[]'],
  ['no model', JSON.stringify({ messages })],
  ['no messages', JSON.stringify({ model: 'good', messages: [] })],
  ['a role that is none', JSON.stringify({ model: 'good', messages: [{ role: 'king', content: 'hi' }] })],
])('%s is refused with what is wrong, and has a row', async (_what, body) => {
  const headers = { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' }
  const answer = await fetch(`${world.base}/chat/completions`, { method: 'POST', headers, body })
  const document = (await answer.json()) as { code: string; request_id: string }
  expect([answer.status, document.code]).toEqual([400, 'invalid_json'])
  expect((await world.own(`GET /gateway/logs/${document.request_id}`)).body).toMatchObject({ ok: false, status: 400 })
})

test('keys are shown once, work in their project, and end', async () => {
  const made = await world.own('POST /gateway/keys', { name: 'second' })
  expect(made.body.key_prefix).toBe(made.body.secret_key.slice(0, 14))
  expect((await world.chat({ model: 'good', messages }, made.body.secret_key)).status).toBe(200)
  const listed = await world.own('GET /gateway/keys')
  expect(listed.body.keys[0]).toMatchObject({ name: 'second', status: 'active' })
  expect(JSON.stringify(listed.body)).not.toContain(made.body.secret_key)
  expect((await world.own(`DELETE /gateway/keys/${made.body.key_id}`)).body).toEqual({ ok: true })
  expect((await world.chat({ model: 'good', messages }, made.body.secret_key)).status).toBe(401)
})

test('the playground asks several models at once and each has its price', async () => {
  const { body } = await world.own('POST /gateway/playground', { prompt: 'hi', models: ['good', 'claude', 'gpt-9'] })
  expect(body.results).toMatchObject([
    { model: 'good', ok: true, output: 'hello world', cost: 0.003168 },
    { model: 'claude', ok: true, output: 'hello world', cost: 0.003168 },
    { model: 'gpt-9', ok: false },
  ])
})

test('the playground streams to whoever is signed in and may see what is spent, and to nobody else', async () => {
  const asked = { model: 'good', messages, stream: true }
  const streamed = await world.own('POST /gateway/playground/stream', asked)
  expect(streamed.status).toBe(200)
  expect(streamed.body).toMatch(/^data: .*\n\n[\s\S]*data: \[DONE\]\n\n$/)
  const refused = await world.own('POST /gateway/playground/stream', { ...asked, model: 'gpt-9' })
  expect([refused.status, refused.body.code]).toEqual([400, 'model_not_found'])
})

test('a project that bypasses the gateway is told that nothing is enforced, and has no catalog', async () => {
  const setGateway = (enabled: boolean) => world.own('PATCH /features', { feature: 'llm_gateway', enabled })
  await setGateway(false)
  expect((await world.own('GET /model-access')).body).toMatchObject({ defaultModel: 'good', enforced: false })
  for (const route of ['GET /llm-catalog', 'GET /model-picker']) {
    const refused = await world.own(route)
    expect([refused.status, refused.body.code, refused.body.feature]).toEqual([403, 'feature_disabled', 'llm_gateway'])
  }
  await setGateway(true)
  expect((await world.own('GET /model-access')).body.enforced).toBe(true)
  const odd = await world.own('GET /gateway/logs/nonsense')
  expect([odd.status, odd.body.code]).toEqual([400, 'validation_failed'])
})
