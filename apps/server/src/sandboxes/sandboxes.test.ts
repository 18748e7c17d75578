import { json } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import { newId } from '../kernel/ids/index.ts'
import { emptyBoot, startSandboxWorld } from './testing/sandbox-world.ts'

const world = await startSandboxWorld()
afterAll(() => world.close())
const { sandboxes } = world

describe('the life of a machine', () => {
  test('created twice it is one; started it answers; stopped it keeps its disk; destroyed it is gone', async () => {
    const sandboxId = newId()
    const [one, other] = await Promise.all([world.createMachine(sandboxId), world.createMachine(sandboxId)])
    expect(other.externalId).toBe(one.externalId)
    expect(one).toMatchObject({ status: 'provisioning', projectId: world.projectId })
    expect(one.externalId).toMatch(/^sb[0-9a-z]{18}$/)

    const started = await sandboxes.startMachine(sandboxId, emptyBoot)
    expect(started.status).toBe('active')
    const { status, body } = await sandboxes.request(one.externalId, { method: 'GET', path: '/svc/health' })
    expect(status).toBe(200)
    expect(await json(body)).toMatchObject({ daemon: 'ok', auth: 'configured' })

    await sandboxes.stopMachine(sandboxId)
    expect(await sandboxes.findMachine(sandboxId)).toMatchObject({ status: 'stopped' })
    await expect(sandboxes.request(one.externalId, { method: 'GET', path: '/svc/health' })).rejects.toMatchObject({
      code: 'sandbox_not_ready',
    })
    expect((await sandboxes.startMachine(sandboxId, emptyBoot)).status).toBe('active')

    await sandboxes.destroyMachine(sandboxId)
    expect(await sandboxes.findMachine(sandboxId)).toMatchObject({ status: 'archived', hostUid: null })
    await expect(sandboxes.startMachine(sandboxId, emptyBoot)).rejects.toMatchObject({ code: 'not_found' })
  })
})
