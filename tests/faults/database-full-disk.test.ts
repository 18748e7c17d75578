import { execFileSync } from 'node:child_process'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { buildFaultServer, FaultServer, makePlace, removeOldBuilds } from './database-runner.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

let script: string
let place: Awaited<ReturnType<typeof makePlace>>
beforeAll(async () => {
  await removeOldBuilds()
  script = await buildFaultServer()
})
beforeEach(async () => {
  place = await makePlace()
  await mkdir(place.path)
})
afterEach(async () => {
  execFileSync('umount', ['--lazy', place.path])
  await place.remove()
})

/** A small disk of its own, which only root on Linux can have. */
describe.runIf(process.platform === 'linux' && process.getuid?.() === 0)('a full disk', () => {
  test('before the first start: a clear refusal, nothing half-made, and a good start once there is room', async () => {
    mount('16m')
    const refused = new FaultServer(script, place.path)
    expect(await refused.exited).toBe(1)
    expect(refused.errors).toMatch(/the disk that holds .* is full\.\nFree some space/)
    expect((await readdir(join(place.path, 'postgres'))).filter((name) => name.startsWith('data'))).toEqual([])

    mount('200m', 'remount,')
    const server = new FaultServer(script, place.path, { writers: 1 })
    await server.hear('acknowledged')
    expect(await server.kill('SIGTERM')).toBe(0)
  })

  test('with not a byte left: the start is refused with that reason', async () => {
    mount('16m')
    fillUp()
    const server = new FaultServer(script, place.path)
    expect(await server.exited).toBe(1)
    expect(server.errors).toMatch(/disk that holds .* is full\.\nFree some space/)
  })

  test('under write load: writes are refused, none acknowledged is lost, and it goes on once there is room', async () => {
    mount('160m')
    const server = new FaultServer(script, place.path, { writers: 4, env: { SVC_FAULT_PAYLOAD: '60000' } })
    await server.hear('acknowledged', 5)
    const filler = fillUp()
    await server.hear('refused', 20)
    const before = server.acknowledged().length
    rmSync(filler)
    await server.hear('acknowledged', before + 20)
    expect(await server.kill('SIGTERM')).toBe(0)

    const next = new FaultServer(script, place.path)
    const { rows, events } = await next.hear('ready')
    expect(server.acknowledged().filter((id) => !rows.includes(id))).toEqual([])
    expect(events).toBe(rows.length)
    expect(await next.kill('SIGTERM')).toBe(0)
  })
})

function mount(size: string, how = ''): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `${how}size=${size}`, 'svc-fault', place.path])
}

function fillUp(): string {
  const path = join(place.path, 'filler')
  const file = openSync(path, 'w')
  try {
    for (const size of [1 << 20, 1 << 12]) writeUntilFull(file, Buffer.alloc(size, 1))
  } finally {
    closeSync(file)
  }
  return path
}

function writeUntilFull(file: number, block: Buffer): void {
  try {
    for (;;) writeSync(file, block)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  }
}
