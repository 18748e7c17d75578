import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commitFiles, openRepository, readFile, resolveRef } from '../../apps/server/src/git/index.ts'
import { findOpencode } from '../../apps/server/src/runtimes/opencode/find-opencode.ts'
import { type SessionWorld, startSessionWorld, waitUntilIdle, waitUntilReady } from '../sessions/session-world.ts'

/** What the runtime is told and what it does, seen from a real machine. */

describe.skipIf(findOpencode() === undefined)('a session on opencode', { timeout: 300_000 }, () => {
  let world: SessionWorld
  beforeAll(async () => {
    world = await startSessionWorld()
    await declareAgent(world, '  lonely:\n    skills: [svc-platform]\n    repository_access: false\n')
  }, 120_000)
  afterAll(() => world?.stop())

  async function start(input: Record<string, unknown>): Promise<string> {
    const made = await world.call('POST /sessions', input)
    expect([made.status, made.body]).toMatchObject([201, {}])
    const sessionId = String(made.body.session_id)
    await waitUntilReady(world, sessionId, 200_000)
    return sessionId
  }

  async function readTranscript(sessionId: string): Promise<string> {
    return JSON.stringify((await world.call(`GET /sessions/${sessionId}/transcript`)).body)
  }

  test('the default plan runs to its question and ends with the answer', async () => {
    const sessionId = await start({ pending_prompt: { text: 'Show me what you can do' } })
    await waitForQuestion(world, sessionId)
    expect((await world.call(`GET /sessions/${sessionId}`)).body.waiting_for).toBe('question')
    const answered = await world.call(`POST /sessions/${sessionId}/question`, { answers: [['Remove it']] })
    expect(answered.status).toBe(200)
    await waitUntilIdle(world, sessionId, 120_000)
    expect((await world.call(`GET /sessions/${sessionId}`)).body.waiting_for).toBeNull()
    const transcript = await readTranscript(sessionId)
    expect(transcript).toContain('Hello from svc. You asked: Show me what you can do')
    expect(transcript).toContain('hello.sh is gone again')
  })

  test('an agent without repository access gets no clone, its own rules and nothing of the repository', async () => {
    const lines =
      'run ls -A /workspace | wc -l; env | grep -c SVC_REPO_URL\nsay there: {result}\nrun curl -sm 5 http://control.invalid'
    const text = `\`\`\`script\n${lines}\n\`\`\``
    const sessionId = await start({ agent_name: 'lonely', pending_prompt: { text } })
    await waitUntilIdle(world, sessionId, 120_000)
    expect(await readTranscript(sessionId)).toMatch(/there: 0\\n0/)
  })

  test('no runtime asked for anything outside: of all connections only that of a script is on record', async () => {
    const { sql } = world.platform.database
    const deadline = Date.now() + 60_000
    for (;;) {
      const rows = await sql`select host from svc.egress_log where project_id = ${world.projectId}`
      if (rows.length > 0) {
        expect(rows.map(({ host }) => host)).toEqual(['control.invalid'])
        return
      }
      if (Date.now() > deadline) throw new Error('the connection of the script was never recorded')
      await sleep(500)
    }
  })
})

async function waitForQuestion(world: SessionWorld, sessionId: string): Promise<void> {
  const deadline = Date.now() + 120_000
  for (;;) {
    const { body } = await world.call(`GET /sessions/${sessionId}/question`)
    if (body.question) return
    if (Date.now() > deadline) throw new Error(`no question came: ${JSON.stringify(body)}`)
    await sleep(300)
  }
}

async function declareAgent({ platform, projectId }: SessionWorld, block: string): Promise<void> {
  const repository = openRepository(join(platform.dataDir, 'repositories', `${projectId}.git`))
  const tip = await resolveRef(repository, 'main')
  const { text } = await readFile(repository, { ref: tip, path: 'svc.yaml' })
  const content = `${text ?? ''}`.replace('\nagents:\n', `\nagents:\n${block}`)
  const author = { name: 'Test', email: 'test@example.com' }
  const changes = [{ path: 'svc.yaml', content }]
  await commitFiles(repository, { branch: 'main', expectedParent: tip, changes, message: 'An agent', author })
}
