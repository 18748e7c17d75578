import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runClient } from '../../apps/server/src/git/testing/run-client.ts'
import { baseImage, startPodman, whyNoPodman } from '../../apps/server/src/sandboxes/docker/testing/podman.ts'
import { type SessionWorld, startSessionWorld, waitUntilIdle, waitUntilReady } from '../sessions/session-world.ts'

const why = await whyNoPodman()
if (why !== undefined) console.log(`sessions in containers are not tested here: ${why}`)

describe.skipIf(why !== undefined)('a session in a container', () => {
  let podman: Awaited<ReturnType<typeof startPodman>>
  let world: SessionWorld
  let folder: string

  beforeAll(async () => {
    podman = await startPodman()
    folder = await mkdtemp(join(tmpdir(), 'svc-container-'))
    world = await startSessionWorld({
      SVC_SANDBOX_PROVIDERS: 'local,docker',
      SVC_DOCKER_SOCKET: podman.socketPath,
      SVC_SANDBOX_IMAGE: baseImage,
    })
  }, 240_000)
  afterAll(async () => {
    await world?.stop()
    await podman?.stop()
    if (folder) await rm(folder, { recursive: true, force: true })
  }, 120_000)

  test('runs from the Dockerfile of the manifest, after the project changed over to containers', async () => {
    await declareTemplate()
    const unsupported = await world.call('POST /sessions', { sandbox_slug: 'tools' })
    expect([unsupported.status, unsupported.body.code]).toEqual([409, 'template_unsupported'])

    const set = await world.call('PATCH /sandbox-provider', { provider: 'docker' })
    expect([set.status, set.body.kind]).toEqual([200, 'preparation'])
    await expect
      .poll(async () => (await world.call('GET /sandbox-provider/transition')).body.latest, slow)
      .toMatchObject({
        status: 'activated',
      })

    const lines = ['write hello.txt: from a container', 'run made-here > made.txt', 'finish All done.']
    const text = `Do as the script says.\n\`\`\`script\n${lines.join('\n')}\n\`\`\`\n`
    const made = await world.call('POST /sessions', { sandbox_slug: 'tools', pending_prompt: { text } })
    expect([made.status, made.body]).toMatchObject([201, { sandbox_provider: 'docker' }])
    const sessionId = String(made.body.session_id)
    await waitUntilReady(world, sessionId, 180_000)
    await waitUntilIdle(world, sessionId, 120_000)
    const transcript = await world.call(`GET /sessions/${sessionId}/transcript`)
    const said = JSON.stringify(transcript.body.messages)
    expect(said).toContain('All done.')
    const committed = await world.call(`POST /sessions/${sessionId}/commit-push`, { message: 'From a container' })
    expect(committed.body).toMatchObject({ committed: true, pushed: true })
    const file = await world.call(`GET /files/content?path=hello.txt&ref=${sessionId}`)
    expect(file.body.content).toContain('from a container')
    const run = await world.call(`GET /files/content?path=made.txt&ref=${sessionId}`)
    expect(run.body.content).toBe('made by the Dockerfile\n')
    const templates = (await world.call('GET /sandboxes')).body.items as { slug: string; ready: boolean }[]
    expect(templates.find(({ slug }) => slug === 'tools')).toMatchObject({ ready: true })
    expect((await world.call(`DELETE /sessions/${sessionId}`)).status).toBe(200)
  }, 600_000)

  async function declareTemplate(): Promise<void> {
    const token = await world.call('POST /git-token')
    const remote = new URL(`${world.url}/v1/git/${world.projectId}.git`)
    remote.username = String(token.body.git_username)
    remote.password = String(token.body.push_token)
    const clone = join(folder, 'clone')
    await runClient(folder, ['clone', '-q', remote.href, clone])
    const manifest = await runClient(clone, ['show', 'HEAD:svc.yaml'])
    const sandbox = 'sandbox:\n  default: tools\n  templates:\n    - slug: tools\n      dockerfile: Dockerfile\n'
    await writeFile(join(clone, 'svc.yaml'), `${manifest}\n${sandbox}`)
    await writeFile(join(clone, 'Dockerfile'), dockerfile)
    await runClient(clone, ['add', '-A'])
    await runClient(clone, ['commit', '-q', '-m', 'Declare a template'])
    await runClient(clone, ['push', '-q', 'origin', 'HEAD:main'])
  }
})

const program = "printf '#!/bin/sh\\necho made by the Dockerfile\\n' > /usr/bin/made-here"
const dockerfile = `FROM ${baseImage}\nRUN ${program} && chmod 755 /usr/bin/made-here\n`
const slow = { timeout: 120_000, interval: 500 }
