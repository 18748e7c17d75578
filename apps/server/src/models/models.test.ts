import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCaller } from '../accounts/testing/client.ts'
import { startProjectWorld } from '../projects/testing/project-world.ts'

let world: Awaited<ReturnType<typeof startProjectWorld>>
let call: ReturnType<typeof createCaller>
let projectKey: string
beforeAll(async () => {
  world = await startProjectWorld()
  call = createCaller(world.platform.url)
  const project = await world.provision()
  const minted = await call(world.owner, `POST /v1/projects/${project.project_id}/cli-token`, {})
  projectKey = minted.body.secret_key
})
afterAll(() => world?.stop())

const chat = (body: object, token: Parameters<typeof call>[0] = projectKey) =>
  call(token, 'POST /v1/llm/chat/completions', body)

interface Delta {
  readonly content?: string
  readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[]
}

const messages = [{ role: 'user', content: '```script\nsay one two\nrun echo hi\n```' }]
const bash = { type: 'function', function: { name: 'bash', parameters: { properties: { command: {} } } } }

test('a document answers with text, tool call and usage, and says that it is scripted', async () => {
  const { status, headers, body } = await chat({ model: 'svc/scripted', messages, tools: [bash] })
  expect([status, headers.get('x-svc-model')]).toEqual([200, 'scripted'])
  expect(body).toMatchObject({ object: 'chat.completion', model: 'svc/scripted' })
  expect(body.choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: { content: 'one two\n', tool_calls: [{ function: { name: 'bash', arguments: '{"command":"echo hi"}' } }] },
  })
  expect(body.usage.total_tokens).toBe(body.usage.prompt_tokens + body.usage.completion_tokens)
})

test('a stream carries the same answer in pieces and ends with [DONE]', async () => {
  const stream = { stream: true, stream_options: { include_usage: true } }
  const { headers, body } = await chat({ model: 'scripted', messages, tools: [bash], ...stream })
  expect(headers.get('content-type')).toContain('text/event-stream')
  const frames: string[] = body.trim().split('\n\n')
  expect(frames.pop()).toBe('data: [DONE]')
  const chunks = frames.map((frame) => JSON.parse(frame.replace(/^data: /, '')))
  const deltas: Delta[] = chunks.flatMap(({ choices }) => choices.map(({ delta }: { delta: Delta }) => delta))
  expect(deltas.map(({ content }) => content ?? '').join('')).toBe('one two\n')
  const written = deltas.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => call.function.arguments))
  expect(written.join('')).toBe('{"command":"echo hi"}')
  expect(chunks.at(-1).usage.total_tokens).toBeGreaterThan(0)
})

test('refusals have OpenAI’s shape: unknown model, no single project, no credential', async () => {
  const unknown = await chat({ model: 'gpt-9', messages })
  expect(unknown.status).toBe(400)
  expect(unknown.body.error).toMatchObject({ code: 'model_not_found', type: 'invalid_request_error' })
  const person = await chat({ model: 'scripted', messages }, world.owner)
  expect([person.status, person.body.error.code]).toEqual([401, 'invalid_token'])
  const { body } = await call(world.owner, 'POST /v1/accounts/tokens', { name: 'for the gateway' })
  const wide = await chat({ model: 'scripted', messages }, body.secret_key)
  expect([wide.status, wide.body.error.code]).toEqual([400, 'project_required'])
  const nobody = await chat({ model: 'scripted', messages }, 'nonsense')
  expect([nobody.status, nobody.body.error.code]).toEqual([401, 'invalid_token'])
  expect(nobody.body.suggestion).toContain('a gateway key')
  for (const path of ['chat/completions', 'responses', 'messages', 'v1/messages', 'embeddings']) {
    const bare = await call(undefined, `POST /v1/llm/${path}`, { model: 'scripted', messages })
    expect([path, bare.status, bare.body.error.code]).toEqual([path, 401, 'missing_token'])
  }
  expect((await call(undefined, 'GET /v1/llm/models')).body.error.code).toBe('missing_token')
})

test('a script can ask for an error of the wire', async () => {
  const asked = [{ role: 'user', content: '```script\nfail 429\n```' }]
  const { status, body } = await chat({ model: 'scripted', messages: asked })
  expect([status, body.error.code]).toEqual([429, 'scripted_failure'])
})

test('the list of models names the scripted one as what it is', async () => {
  const { status, body } = await call(projectKey, 'GET /v1/llm/models')
  expect(status).toBe(200)
  expect(body.models.scripted).toMatchObject({ name: 'Scripted model (no AI)', free: true, tool_call: true })
})
