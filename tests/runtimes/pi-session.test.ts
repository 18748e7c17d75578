import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commitFiles, openRepository, readFile, resolveRef } from '../../apps/server/src/git/index.ts'
import { type SessionWorld, startSessionWorld, waitUntilIdle, waitUntilReady } from '../sessions/session-world.ts'
import { installPi } from './install-pi.ts'

/** A session of a project that chose pi, in a real machine. */

const missing = await installPi()
if (missing !== undefined) console.warn(`skipped: pi ${missing}`)

describe.skipIf(missing !== undefined)('a session on pi', () => {
  let world: SessionWorld
  beforeAll(async () => {
    world = await startSessionWorld()
    await chooseRuntime(world, 'pi')
  }, 120_000)
  afterAll(() => world?.stop())

  test('an agent writes a file, runs it and its work is committed', { timeout: 300_000 }, async () => {
    const text = '```script\nwrite hello.txt: Hello from pi\\n\nrun cat hello.txt\nsay it printed {result}\nfinish\n```'
    const made = await world.call('POST /sessions', { pending_prompt: { text } })
    expect(made.status).toBe(201)
    const sessionId = String(made.body.session_id)
    await waitUntilReady(world, sessionId, 200_000)
    expect(await waitUntilIdle(world, sessionId, 120_000)).toMatchObject({ last_ended: { end_reason: 'completed' } })

    const transcript = await world.call(`GET /sessions/${sessionId}/transcript`)
    expect(JSON.stringify(transcript.body)).toContain('it printed Hello from pi')
    const committed = await world.call(`POST /sessions/${sessionId}/commit-push`, { message: 'Say hello' })
    expect(committed.body).toMatchObject({ committed: true, pushed: true })
  })
})

async function chooseRuntime({ platform, projectId }: SessionWorld, runtime: string): Promise<void> {
  const repository = openRepository(join(platform.dataDir, 'repositories', `${projectId}.git`))
  const tip = await resolveRef(repository, 'main')
  const { text } = await readFile(repository, { ref: tip, path: 'svc.yaml' })
  const content = `${text ?? ''}`.replace('svc_version: 2\n', `svc_version: 2\nruntime: ${runtime}\n`)
  const author = { name: 'Test', email: 'test@example.com' }
  const message = `Use ${runtime}`
  await commitFiles(repository, {
    branch: 'main',
    expectedParent: tip,
    changes: [{ path: 'svc.yaml', content }],
    message,
    author,
  })
}
