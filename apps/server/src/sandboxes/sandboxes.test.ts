import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { json, text } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import { newId } from '../kernel/ids/index.ts'
import { newExternalId } from './external-id.ts'
import { machineChanged } from './index.ts'
import { emptyBoot, startSandboxWorld } from './testing/sandbox-world.ts'

const world = await startSandboxWorld()
afterAll(() => world.close())
const { sandboxes, kernel } = world

const health = { method: 'GET', path: '/svc/health' }

describe.runIf(process.platform === 'linux')('the life of a machine', () => {
  test('created twice it is one; started it answers; stopped it keeps its disk; destroyed it is gone', async () => {
    const sandboxId = newId()
    const [one, other] = await Promise.all([world.createMachine(sandboxId), world.createMachine(sandboxId)])
    expect(other.externalId).toBe(one.externalId)
    expect(one).toMatchObject({ status: 'provisioning', projectId: world.projectId })
    expect(one.externalId).toMatch(/^sb[0-9a-z]{18}$/)

    const started = await sandboxes.startMachine(sandboxId, emptyBoot)
    expect(started.status).toBe('active')
    const { status, body } = await sandboxes.request(one.externalId, health)
    expect(status).toBe(200)
    expect(await json(body)).toMatchObject({ daemon: 'ok', auth: 'configured' })

    await sandboxes.stopMachine(sandboxId)
    expect(await sandboxes.findMachine(sandboxId)).toMatchObject({ status: 'stopped' })
    await expect(sandboxes.request(one.externalId, health)).rejects.toMatchObject({ code: 'sandbox_not_ready' })
    expect((await sandboxes.startMachine(sandboxId, emptyBoot)).status).toBe('active')

    await sandboxes.destroyMachine(sandboxId)
    expect(await sandboxes.findMachine(sandboxId)).toMatchObject({ status: 'archived', hostUid: null })
    await expect(sandboxes.startMachine(sandboxId, emptyBoot)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('one that ends by itself says why, and everybody is told', async () => {
    const { sandboxId, externalId } = await world.createMachine()
    const told: unknown[] = []
    kernel.events.subscribe(machineChanged, (event) => void told.push(event))
    await sandboxes.startMachine(sandboxId, emptyBoot)
    const body = JSON.stringify({ argv: ['kill', '-9', '-1'] })
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    await sandboxes.request(externalId, { method: 'POST', path: '/svc/exec', headers, body }).catch(() => undefined)
    await expect.poll(() => told).toContainEqual(expect.objectContaining({ sandbox_id: sandboxId, status: 'error' }))
    const row = await sandboxes.findMachine(sandboxId)
    expect(row).toMatchObject({ status: 'error', statusDetail: expect.stringContaining('The machine') })
    expect((await sandboxes.startMachine(sandboxId, emptyBoot)).status).toBe('active')
    await sandboxes.destroyMachine(sandboxId)
  })

  test('while guests take all they can get, others are served, and each state says which limit was met', async () => {
    const [quiet, bomb, filler] = await Promise.all([
      world.createMachine(),
      world.createMachine(),
      world.createMachine(),
    ])
    const machines = [quiet, bomb, filler]
    for (const { sandboxId } of machines) await sandboxes.startMachine(sandboxId, emptyBoot)
    const run = (externalId: string, script: string) => {
      const body = JSON.stringify({ argv: ['bash', '-c', script], timeoutMs: 30_000 })
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
      return sandboxes.request(externalId, { method: 'POST', path: '/svc/exec', headers, body }).catch(() => undefined)
    }
    const hostile = [
      run(bomb.externalId, '(f() { f | f & }; f) > /dev/null 2>&1 & (while :; do :; done) & yes'),
      run(
        filler.externalId,
        'n=0; for size in 8M 512K 32K; do while fallocate -l $size /workspace/f$n; do n=$((n+1)); done; done; sleep 20',
      ),
    ]
    const detailOf = async (sandboxId: string) => (await sandboxes.findMachine(sandboxId))?.statusDetail
    for (let times = 0; times < 20; times += 1) {
      expect((await sandboxes.request(quiet.externalId, health)).status).toBe(200)
    }
    await expect.poll(() => detailOf(bomb.sandboxId)).toMatch('could not be started because 768')
    await expect.poll(() => detailOf(filler.sandboxId)).toMatch('The disk of 0.25 GB is full')
    expect(await detailOf(quiet.sandboxId)).toBeNull()
    await Promise.all(machines.map(({ sandboxId }) => sandboxes.destroyMachine(sandboxId)))
    await Promise.all(hostile)
  })

  test('two machines never have one user of the host', async () => {
    const rows = await Promise.all(Array.from({ length: 6 }, () => world.createMachine()))
    const uids = rows.map(({ hostUid }) => hostUid)
    if (process.getuid?.() === 0) expect(new Set(uids).size).toBe(6)
    else expect(new Set(uids)).toEqual(new Set([null]))
    for (const { sandboxId } of rows) await sandboxes.destroyMachine(sandboxId)
  })
})

describe.runIf(process.platform === 'linux')('talking to a machine', () => {
  test('the runtime’s paths need the caller’s context, and a port inside is reached as if dialled there', async () => {
    const { sandboxId, externalId } = await world.createMachine()
    await sandboxes.startMachine(sandboxId, emptyBoot)
    const path = '/file?path=/workspace'
    expect((await sandboxes.request(externalId, { method: 'GET', path })).status).toBe(401)
    const context = { userId: newId(), role: 'owner' as const, scopes: [] }
    const listed = await sandboxes.request(externalId, { method: 'GET', path, context })
    expect({ status: listed.status, body: await json(listed.body) }).toEqual({ status: 200, body: [] })

    const isUp = `() => require('fs').writeFileSync('/tmp/up', '')`
    const program = `require('net').createServer((c) => c.end('hello from inside')).listen(7777, ${isUp})`
    // What is still of the command's group when the command ends, ends with it.
    const command = `setsid node -e "${program}" > /dev/null 2>&1 & until [ -e /tmp/up ]; do sleep 0.05; done`
    const body = JSON.stringify({ argv: ['sh', '-c', command] })
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    await text((await sandboxes.request(externalId, { method: 'POST', path: '/svc/exec', headers, body })).body)
    await expect.poll(() => sandboxes.connect(externalId, 7777).then(text, () => '')).toBe('hello from inside')
    await sandboxes.destroyMachine(sandboxId)
  })

  test('an unknown machine and a provider that is not enabled are refused', async () => {
    await expect(sandboxes.request(newExternalId(), health)).rejects.toMatchObject({ code: 'sandbox_not_ready' })
    expect(() => sandboxes.requireProvider('docker')).toThrow(/not enabled/)
    const input = { sandboxId: newId(), projectId: world.projectId, accountId: world.accountId, provider: 'nowhere' }
    await expect(sandboxes.createMachine(input)).rejects.toMatchObject({ code: 'sandbox_provider_unavailable' })
    await expect(sandboxes.createMachine({ ...input, provider: 'local', image: 'x' })).rejects.toMatchObject({
      code: 'sandbox_provider_unavailable',
    })
  })
})

describe.runIf(process.platform === 'linux')('a platform that stops and starts', () => {
  test('parks its machines; the next one removes what was being made or removed, and nobody’s work', async () => {
    const second = await startSandboxWorld()
    const { sandboxId, externalId } = await second.createMachine()
    const [archived, foreign] = [await second.createMachine(), await second.createMachine()]
    await second.sandboxes.startMachine(sandboxId, emptyBoot)
    await second.stop()
    // A deletion that was cut off, and a machine of another database.
    await second.database.sql`update svc.sandboxes set status = 'archived' where sandbox_id = ${archived.sandboxId}`
    await second.database.sql`delete from svc.sandboxes where sandbox_id = ${foreign.sandboxId}`
    const rows = await second.database.sql`
      select status, status_detail from svc.sandboxes where sandbox_id = ${sandboxId}`
    expect([...rows]).toEqual([{ status: 'stopped', status_detail: 'The platform stopped.' }])

    // As a kill would leave it: a row that says active, and a folder that no row owns.
    await second.database.sql`update svc.sandboxes set status = 'active' where sandbox_id = ${sandboxId}`
    const machines = join(second.dataDir, 'sandboxes', 'machines')
    const stray = join(machines, newExternalId())
    await mkdir(stray)
    const next = await second.startServer()
    expect(existsSync(stray)).toBe(false)
    const left = [externalId, archived.externalId, foreign.externalId].map((id) => existsSync(join(machines, id)))
    expect(left).toEqual([true, false, true])
    expect(await next.sandboxes.findMachine(sandboxId)).toMatchObject({
      status: 'stopped',
      statusDetail: 'The platform restarted.',
    })
    expect((await next.sandboxes.startMachine(sandboxId, emptyBoot)).status).toBe('active')
    await next.stop()
    await second.close()
  })
})
