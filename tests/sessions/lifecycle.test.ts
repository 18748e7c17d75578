import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { killRuntime } from '../support/kill-runtime.ts'
import {
  promptBody,
  readOutput,
  type SessionWorld,
  scriptOf,
  startSessionWorld,
  waitUntilIdle,
  waitUntilReady,
} from './session-world.ts'

/** A session's life on a real machine: what the agent gets, questions, stops, wakes, restarts, lost runtimes. */

let world: SessionWorld
let sessionId: string
let at: string
beforeAll(async () => {
  world = await startSessionWorld()
  for (const [name, identifier] of [
    ['GREETING', 'greeting'],
    ['PATH', 'path'],
  ]) {
    await world.call('POST /secrets', { name, identifier, value: `value-of-${identifier}` })
  }
  const made = await world.call('POST /sessions', { runtime_context: { ticket: 'T-1' } })
  sessionId = String(made.body.session_id)
  at = `/sessions/${sessionId}`
  await waitUntilReady(world, sessionId)
}, 240_000)
afterAll(() => world?.stop())

const timeout = 240_000

async function run(...lines: string[]): Promise<void> {
  const sent = await world.call(`POST ${at}/prompts`, promptBody(scriptOf(...lines)))
  expect(sent.status).toBe(202)
}

async function runToEnd(...lines: string[]): Promise<string> {
  await run(...lines)
  await waitUntilIdle(world, sessionId)
  return (await readOutput(world, sessionId)).trim()
}

describe('on a real machine', () => {
  test('the agent has what it is granted in its environment, and nothing of the platform; its token reads its own project alone, and is no manager', {
    timeout,
  }, async () => {
    const read = (path: string) =>
      `curl -s -o /dev/null -w '%{http_code} ' -H "Authorization: Bearer $SVC_TOKEN" $SVC_API_URL${path}`
    const reads = [`/projects/${world.projectId}`, `/projects/${world.projectId}/sessions?scope=project`, '/accounts']
    const printed = await runToEnd(
      'write kept.txt: still here',
      `run env | sort; echo; ${reads.map(read).join('; ')}`,
      'finish',
    )
    const env = new Map(printed.split('\n').map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]))
    expect(env.get('SVC_SESSION_ID')).toBe(sessionId)
    expect(env.get('SVC_PROJECT_ID')).toBe(world.projectId)
    expect(env.get('SVC_BRANCH_NAME')).toBe(sessionId)
    expect(env.get('SVC_SESSION_CONTEXT')).toBe('{"ticket":"T-1"}')
    expect(env.get('SVC_TOKEN')).toMatch(/^svc_pat_/)
    expect(env.get('GREETING')).toBe('value-of-greeting')
    expect(env.get('PATH')).not.toContain('value-of-path')
    expect([...env.keys()].filter((name) => /DATABASE_URL|MASTER_KEY/.test(String(name)))).toEqual([])
    expect(printed.split('\n').at(-1)?.trim()).toBe('200 403 403')
  })

  test('a question outlives its machine, and the first answer brings the session back with it', {
    timeout,
  }, async () => {
    await run('ask Which colour? | Red | Blue', 'finish')
    await expect
      .poll(async () => (await world.call(`GET ${at}/question`)).body.question, { timeout: 120_000 })
      .toBeTruthy()
    expect((await world.call(`POST ${at}/stop`)).status).toBe(200)
    const { body: asked } = await world.call(`GET ${at}/question`)
    expect(asked.question).toMatchObject({ questions: [{ question: 'Which colour?' }] })
    expect((await world.call(`GET ${at}/turn`)).body).toMatchObject({
      turns: [],
      last_ended: { end_reason: 'interrupted' },
    })
    const answered = await world.call(`POST ${at}/question`, { answers: [['Blue']] })
    expect([answered.status, answered.body]).toEqual([200, { ok: true, delivery: 'queued' }])
    const twice = await world.call(`POST ${at}/question`, { answers: [['Red']] })
    expect([twice.status, twice.body.code]).toEqual([409, 'already_answered'])
    await waitUntilReady(world, sessionId)
    await expect.poll(readTranscript, { timeout: 120_000 }).toContain('Which colour?\\nBlue')
  })

  test('a second restart joins the first; files and conversation stay', { timeout }, async () => {
    const [first, second] = await Promise.all([world.call(`POST ${at}/restart`), world.call(`POST ${at}/restart`)])
    expect([first.status, second.status]).toEqual([202, 202])
    expect(first.body.operation_id).toBe(second.body.operation_id)
    expect([first.body.reason, second.body.reason].filter(Boolean)).toEqual(['restart_in_progress'])
    await waitUntilReady(world, sessionId)
    expect(await runToEnd('run cat kept.txt', 'finish')).toBe('still here')
    expect(await readTranscript()).toContain('Which colour?')
  })

  test('a runtime that dies in the middle of a turn leaves it interrupted; it is not run again', {
    timeout,
  }, async () => {
    await run('run echo once | tee -a count.txt', 'wait 30s', 'finish')
    await expect.poll(() => readOutput(world, sessionId), { timeout: 120_000 }).toContain('once')
    killRuntime(sessionId)
    await expect
      .poll(async () => (await world.call(`GET ${at}/turn`)).body, { timeout: 90_000, interval: 200 })
      .toMatchObject({ turns: [], last_ended: { end_reason: 'interrupted' } })
    expect(await runToEnd('run cat count.txt', 'finish')).toBe('once')
  })

  test('feedback on a change request wakes a parked session', { timeout }, async () => {
    await world.call(`POST ${at}/commit-push`, {})
    const opened = await world.call('POST /change-requests', {
      title: 'Feature',
      head_ref: sessionId,
      session_id: sessionId,
    })
    await world.call(`POST ${at}/stop`)
    const asked = await world.call(`POST /change-requests/${opened.body.cr_id}/request-changes`, {
      feedback: 'Say more.',
    })
    expect(asked.body).toMatchObject({ delivering: true })
    await waitUntilReady(world, sessionId)
    await expect.poll(readTranscript, { timeout: 120_000 }).toContain('Say more.')
  })
})

async function readTranscript(): Promise<string> {
  return JSON.stringify((await world.call(`GET ${at}/transcript`)).body.messages)
}
