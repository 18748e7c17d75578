import { json } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import { newId } from '../kernel/ids/index.ts'
import { createRuntimes } from '../runtimes/index.ts'
import { findOpencode } from '../runtimes/opencode/find-opencode.ts'
import { createOpencode } from '../runtimes/opencode/index.ts'
import { testInput } from '../runtimes/testing/run-runtime.ts'
import { startSandboxWorld } from './testing/sandbox-world.ts'

/** The real runtime, in a real machine of the pool. */
describe.skipIf(process.platform !== 'linux' || !findOpencode())('opencode in the warm pool', async () => {
  const { runtimeFiles, warmRuntime } = createRuntimes()
  const world = await startSandboxWorld({ SVC_WARM_SANDBOXES: '1' }, { machineFiles: runtimeFiles, warmRuntime })
  afterAll(() => world.close())
  const { sandboxes, database, projectId, accountId } = world

  test('it waits ready to answer, and then is as if it had been started for its session', async () => {
    const countWarm = () => database.sql`select 1 from svc.sandboxes where project_id is null and status = 'active'`
    await expect.poll(countWarm, { timeout: 120_000, interval: 100 }).toHaveLength(1)
    const sandboxId = newId()
    const { externalId } = await sandboxes.createMachine({ sandboxId, projectId, accountId })
    const agent = { svc: { mode: 'primary', description: 'Works', prompt: 'Be brief.' } }
    const input = { ...testInput('http://127.0.0.1:4098/v1/llm'), compiled: { etag: '0', config: { agent } } }
    const { process: runtime, files } = createOpencode().prepare(input)
    const env = { SVC_TOKEN: 'the session’s', A_SECRET: 'hush', SVC_PROJECT_SECRET_NAMES: 'A_SECRET' }
    await sandboxes.startMachine(sandboxId, { runtime, files, env, repository: undefined })

    const context = { userId: 'platform', role: 'platform_admin', scopes: [] } as const
    const ask = async (method: string, path: string, body?: unknown) => {
      const headers = { 'content-type': 'application/json' }
      const sent = body === undefined ? {} : { body: JSON.stringify(body), headers }
      return json((await sandboxes.request(externalId, { method, path, context, ...sent })).body) as Promise<never>
    }
    const health = () => ask('GET', '/svc/health') as Promise<Record<string, unknown>>
    await expect.poll(health).toMatchObject({ opencode: 'ok', boot_error: null })
    const marks = (await health()).boot_timeline as { label: string }[]
    expect(marks.map(({ label }) => label)).toContain('runtime_adopted')

    expect(await ask('GET', '/config')).toMatchObject({
      model: 'svc/scripted',
      default_agent: 'svc',
      agent: { svc: { prompt: 'Be brief.' } },
      provider: { svc: { options: { apiKey: 'the session’s' } } },
      plugin: [],
    })
    expect(await ask('GET', '/session')).toEqual([])
    const { id } = (await ask('POST', '/session', { title: 'First' })) as { id: string }
    const command = 'echo $A_SECRET $SVC_TOKEN; command -v rg; ls /tmp /home/agent/.svc'
    const ran = JSON.stringify(await ask('POST', `/session/${id}/shell`, { agent: 'svc', command }))
    expect(ran).toContain('hush the session’s\\n/opt/svc/runtimes/bin/rg')
    expect(ran).not.toContain('svc-warm-up')
    await sandboxes.destroyMachine(sandboxId)
  }, 180_000)
})
