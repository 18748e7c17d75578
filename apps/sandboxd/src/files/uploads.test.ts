import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, symlinkSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../testing/test-daemon.ts'

const chunkBytes = 65_536
let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startTestDaemon({ runtime: false })
})
afterAll(() => daemon.stop())

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

function put(id: string, offset: number, total: number, bytes: Buffer, checksum = sha256(bytes)) {
  const headers = { 'X-Svc-Chunk-Sha256': checksum }
  return daemon.call('PUT', `/file/upload/${id}?offset=${offset}&total=${total}`, { body: bytes, headers })
}

const complete = (id: string, file: Buffer, extra: object = {}) =>
  daemon.call('POST', `/file/upload/${id}/complete`, {
    body: { path: 'up', filename: 'file.bin', size: file.length, sha256: sha256(file), ...extra },
  })

async function send(id: string, file: Buffer): Promise<void> {
  for (let offset = 0; offset < file.length; offset += chunkBytes) {
    const chunk = file.subarray(offset, offset + chunkBytes)
    expect((await put(id, offset, file.length, chunk)).json).toEqual({ upload_id: id, received: offset + chunk.length })
  }
}

describe('an upload in chunks', () => {
  test('arrives whole, under a free name, and a repeated completion answers the same', async () => {
    const file = randomBytes(200_000)
    const [first, second] = [randomUUID(), randomUUID()]
    await send(first, file)
    const placed = await complete(first, file)
    expect(placed.json).toEqual([{ path: join(daemon.workspace, 'up/file.bin'), size: 200_000 }])
    expect((await complete(first, file)).json).toEqual(placed.json)
    expect(readFileSync(join(daemon.workspace, 'up/file.bin')).equals(file)).toBe(true)
    await send(second, file)
    expect((await complete(second, file)).json[0].path).toBe(join(daemon.workspace, 'up/file-1.bin'))
  })

  test('resumes where it was cut: wrong places are told, repeated chunks are taken, wrong bytes are not', async () => {
    const file = randomBytes(chunkBytes * 2 + 10)
    const id = randomUUID()
    const [one, two, three] = [
      file.subarray(0, chunkBytes),
      file.subarray(chunkBytes, 2 * chunkBytes),
      file.subarray(2 * chunkBytes),
    ]
    expect((await put(id, chunkBytes, file.length, two)).json).toMatchObject({ code: 'offset_mismatch', expected: 0 })
    const wrong = await put(id, 0, file.length, one, sha256(two))
    expect([wrong.status, wrong.json.code]).toEqual([422, 'checksum_mismatch'])
    expect((await put(id, 0, file.length, one)).status).toBe(200)
    expect((await put(id, 0, file.length, one)).json.received).toBe(chunkBytes)
    const skipped = await put(id, 2 * chunkBytes, file.length, three)
    expect([skipped.status, skipped.json.expected]).toEqual([409, chunkBytes])
    const early = await complete(id, file)
    expect([early.status, early.json.code]).toEqual([409, 'incomplete'])
    await put(id, chunkBytes, file.length, two)
    await put(id, 2 * chunkBytes, file.length, three)
    const damaged = await complete(id, file, { sha256: sha256(one) })
    expect([damaged.status, damaged.json.code]).toEqual([422, 'checksum_mismatch'])
    expect((await complete(id, file)).status).toBe(200)
  })

  test('the same chunk sent many times at once counts once', async () => {
    const file = randomBytes(chunkBytes)
    const id = randomUUID()
    const answers = await Promise.all(Array.from({ length: 8 }, () => put(id, 0, file.length, file)))
    expect(answers.map(({ json }) => json.received)).toEqual(Array(8).fill(chunkBytes))
    expect((await complete(id, file, { filename: 'at-once' })).json[0].size).toBe(chunkBytes)
  })

  test('bad requests are refused with their reason', async () => {
    const bytes = randomBytes(10)
    expect((await put('not-a-uuid', 0, 10, bytes)).status).toBe(400)
    expect((await put('..%2f..%2fx', 0, 10, bytes)).status).toBe(400)
    expect((await put(randomUUID(), 0, 5, bytes)).status).toBe(400)
    expect((await put(randomUUID(), -1, 10, bytes)).status).toBe(400)
    expect((await put(randomUUID(), 0, 10, Buffer.alloc(0))).status).toBe(400)
    expect((await put(randomUUID(), 0, 1e6, randomBytes(chunkBytes + 1))).status).toBe(413)
    expect((await complete(randomUUID(), bytes)).status).toBe(404)
  })

  test('ends inside the roots or not at all', async () => {
    const file = randomBytes(10)
    const id = randomUUID()
    await put(id, 0, 10, file)
    symlinkSync(tmpdir(), join(daemon.workspace, 'leads-out'))
    for (const path of ['/etc', '../..', 'leads-out', '/proc/self/cwd']) {
      expect([path, (await complete(id, file, { path })).status]).toEqual([path, 403])
    }
    const { json } = await complete(id, file, { filename: '../../../evil' })
    expect(json[0].path).toBe(join(daemon.workspace, 'up/evil'))
  })

  test('is forgotten when abandoned', async () => {
    const id = randomUUID()
    await put(id, 0, 10, randomBytes(10))
    expect((await daemon.call('DELETE', `/file/upload/${id}`)).json).toBe(true)
    expect((await put(id, 10, 20, randomBytes(10))).json.expected).toBe(0)
  })
})

test('what nobody finished is swept at the next start, what is fresh stays and goes on', async () => {
  let parts = ''
  const first = await startTestDaemon({ runtime: false })
  parts = join(first.home, '.svc', 'uploads')
  const [old, fresh] = [randomUUID(), randomUUID()]
  const chunk = randomBytes(100)
  for (const id of [old, fresh]) {
    await first.call('PUT', `/file/upload/${id}?offset=0&total=200`, {
      body: chunk,
      headers: { 'X-Svc-Chunk-Sha256': sha256(chunk) },
    })
  }
  const longAgo = Date.now() / 1000 - 3601
  utimesSync(join(parts, old), longAgo, longAgo)
  const second = await startTestDaemon({ runtime: false, env: { SVC_HOME_DIR: first.home } })
  await expect.poll(() => existsSync(join(parts, old))).toBe(false)
  expect(readdirSync(parts)).toEqual([fresh])
  const next = await second.call('PUT', `/file/upload/${fresh}?offset=100&total=200`, {
    body: chunk,
    headers: { 'X-Svc-Chunk-Sha256': sha256(chunk) },
  })
  expect(next.json.received).toBe(200)
  await second.stop()
  await first.stop()
})
