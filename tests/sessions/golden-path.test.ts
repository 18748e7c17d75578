import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  followEvents,
  promptBody,
  type SessionWorld,
  send,
  startSessionWorld,
  waitUntilIdle,
  waitUntilReady,
} from './session-world.ts'

/** From nothing to a merged change, with a real machine, the real runtime and the scripted model. */

let world: SessionWorld
beforeAll(async () => {
  world = await startSessionWorld()
}, 120_000)
afterAll(() => {
  vi.unstubAllEnvs()
  return world?.stop()
})

const script = (...lines: string[]) => `Do as the script says.\n\`\`\`script\n${lines.join('\n')}\n\`\`\`\n`

test('an agent writes a file and runs it, its work is merged, and the audit log tells all of it', {
  timeout: 240_000,
}, async () => {
  const made = await world.call('POST /sessions', {
    pending_prompt: {
      text: script(
        'say I begin.',
        'write hello.txt: Hello from the session\\n',
        'run cat hello.txt',
        'finish All done.',
      ),
    },
  })
  expect([made.status, made.body]).toMatchObject([201, { status: 'provisioning', name: 'Do as the script says.' }])
  const sessionId = String(made.body.session_id)

  const started = await waitUntilReady(world, sessionId)
  expect(started).toMatchObject({ stage: 'ready', runtime_transport: 'rest', retriable: false })
  expect(String(started.runtime_url)).toMatch(/^\/p\/sb[0-9a-z]{18}\/8000$/)
  const turn = await waitUntilIdle(world, sessionId)
  expect(turn).toMatchObject({ turns: [], last_ended: { end_reason: 'completed' } })

  const seen: { seq: number; type: string }[] = []
  const leaving = new AbortController()
  const path = `/v1/projects/${world.projectId}/sessions/${sessionId}/events?after=0`
  for await (const { id, data } of followEvents(world.url, world.owner, path, { signal: leaving.signal })) {
    if (id !== undefined) seen.push({ seq: id, type: data.type })
    if (data.type === 'turn.ended') break
  }
  leaving.abort()
  expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index + 1))
  const types = seen.map(({ type }) => type)
  for (const type of ['message.updated', 'message.part.updated', 'turn.started', 'session.idle']) {
    expect(types).toContain(type)
  }

  const transcript = await world.call(`GET /sessions/${sessionId}/transcript`)
  const messages = transcript.body.messages as { role: string; text: string; tools: { tool: string }[] }[]
  expect(messages.map(({ role }) => role)).toContain('assistant')
  expect(messages.flatMap(({ tools }) => tools.map(({ tool }) => tool))).toEqual(
    expect.arrayContaining(['write', 'bash']),
  )
  expect(messages.at(-1)?.text).toContain('All done.')

  const committed = await world.call(`POST /sessions/${sessionId}/commit-push`, { message: 'Say hello' })
  expect([committed.status, committed.body]).toMatchObject([
    200,
    { committed: true, pushed: true, nothing_to_do: false, branch: sessionId },
  ])
  const again = await world.call(`POST /sessions/${sessionId}/commit-push`, {})
  expect(again.body).toMatchObject({ committed: false, nothing_to_do: true })

  const request = await world.call('POST /change-requests', {
    title: 'Say hello',
    head_ref: sessionId,
    session_id: sessionId,
  })
  expect([request.status, request.body]).toMatchObject([201, { origin_session_id: sessionId }])
  const merged = await world.call(`POST /change-requests/${request.body.cr_id}/merge`)
  expect([merged.status, merged.body]).toMatchObject([200, { change_request: { status: 'merged' } }])
  const file = await world.call('GET /files/content?path=hello.txt')
  expect(file.body.content).toBe('Hello from the session\n')

  const audit = await world.call(`GET /sessions/${sessionId}/audit?limit=1000`)
  const actions = (audit.body.events as { action: string }[]).map(({ action }) => action)
  for (const action of ['session.create', 'session.commit', 'repository.push']) expect(actions).toContain(action)

  const stopped = await world.call(`POST /sessions/${sessionId}/stop`)
  expect([stopped.status, stopped.body]).toMatchObject([200, { status: 'stopped' }])
  const parked = await world.call(`GET /sessions/${sessionId}/transcript`)
  expect(parked.body.messages).toEqual(transcript.body.messages)

  const woken = await world.call(
    `POST /sessions/${sessionId}/prompts`,
    promptBody(script('read hello.txt', 'finish Still here.')),
  )
  expect(woken.status).toBe(202)
  await waitUntilReady(world, sessionId)
  await waitUntilIdle(world, sessionId)
  const after = await world.call(`GET /sessions/${sessionId}/transcript`)
  const last = (after.body.messages as { text: string }[]).at(-1)
  expect(last?.text).toContain('Still here.')

  const cost = await send(
    world.url,
    world.owner,
    `GET /v1/usage/session-costs/${sessionId}?project_id=${world.projectId}`,
  )
  expect([cost.status, cost.body]).toMatchObject([200, { total_cost: 0, session_id: sessionId }])
  expect(await world.call(`DELETE /sessions/${sessionId}`)).toMatchObject({ status: 200, body: { ok: true } })
  expect((await world.call(`GET /sessions/${sessionId}`)).status).toBe(404)
})

test('npm run example:golden-path does what it tells newcomers', { timeout: 240_000 }, async () => {
  vi.stubEnv('SVC_URL', world.url)
  vi.stubEnv('SVC_TOKEN', world.owner.accessToken)
  const said: string[] = []
  const spy = vi.spyOn(console, 'log').mockImplementation((line: string) => void said.push(line))
  const { tour } = await import('../../examples/golden-path.ts')
  await tour().finally(() => spy.mockRestore())
  expect(said.join('\n')).toContain('Hello from an agent')
  expect(said.at(-1)).toMatch(/^✓ the golden path took/)
})
