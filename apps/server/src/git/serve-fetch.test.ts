import { readFile as readDiskFile, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openRepository, type Repository, serveInfoRefs, serveUploadPack } from './index.ts'
import { makeRepository } from './testing/make-repository.ts'
import { runClient, tryClient } from './testing/run-client.ts'
import { type GitServer, startGitServer } from './testing/start-git-server.ts'

const isLong = process.env.SVC_TEST_LONG === '1'
if (isLong) vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 })
const bigBytes = (isLong ? 100 : 10) * 1024 * 1024
const fileCount = 5000

let repository: Repository
let scratch: string
let tip: string
let server: GitServer

beforeAll(async () => {
  const files = Array.from({ length: fileCount }, (_, index) => ({
    path: `dir-${index % 50}/file-${index}.txt`,
    content: `line of file ${index}\n`,
  }))
  const made = await makeRepository(files)
  repository = made.repository
  scratch = made.scratch
  const big = Buffer.alloc(bigBytes)
  for (let at = 0; at < big.length; at += 4) big.writeUInt32LE((at * 2654435761) >>> 0, at)
  const maker = join(scratch, 'maker')
  await runClient(scratch, ['clone', '-q', '--no-checkout', repository.path, maker])
  await runClient(maker, ['read-tree', 'HEAD'])
  await writeFile(join(maker, 'big.bin'), big)
  await runClient(maker, ['add', 'big.bin'])
  await runClient(maker, ['commit', '-q', '-m', 'Big'])
  await runClient(maker, ['push', '-q', 'origin', 'HEAD:main'])
  tip = await runClient(maker, ['rev-parse', 'HEAD'])
  server = await startGitServer(repository)
})

afterAll(() => server.close())

describe('fetching', () => {
  test('a clone over protocol 2 has every file of a 5,000-file tree and the big blob byte for byte', async () => {
    const { stderr, code } = await tryClient(scratch, ['clone', '-q', server.url, 'full'], {
      env: { GIT_TRACE_PACKET: '1' },
    })
    expect(code).toBe(0)
    expect(stderr).toContain('version 2')
    const names = await runClient(join(scratch, 'full'), ['ls-files'])
    expect(names.split('\n')).toHaveLength(fileCount + 1)
    expect(await runClient(join(scratch, 'full'), ['rev-parse', 'HEAD'])).toBe(tip)
    expect(await runClient(join(scratch, 'full'), ['status', '--porcelain'])).toBe('')
    expect((await stat(join(scratch, 'full', 'big.bin'))).size).toBe(bigBytes)
  })

  test('a client that speaks version 0 is served too', async () => {
    await runClient(scratch, ['-c', 'protocol.version=0', 'clone', '-q', '--bare', server.url, 'v0.git'])
    expect(await runClient(join(scratch, 'v0.git'), ['rev-parse', 'main'])).toBe(tip)
  })

  test('a shallow clone has one commit and deepens later', async () => {
    await runClient(scratch, ['clone', '-q', '--depth=1', '--bare', server.url, 'shallow.git'])
    const shallow = join(scratch, 'shallow.git')
    expect(await runClient(shallow, ['rev-list', '--count', 'HEAD'])).toBe('1')
    await runClient(shallow, ['fetch', '-q', '--unshallow', 'origin'])
    expect(await runClient(shallow, ['rev-list', '--count', 'HEAD'])).toBe('2')
  })

  test('a partial clone leaves the blobs behind and fetches the one it needs', async () => {
    await runClient(scratch, ['clone', '-q', '--filter=blob:none', '--no-checkout', server.url, 'partial'])
    const partial = join(scratch, 'partial')
    const missing = await runClient(partial, ['rev-list', '--objects', '--missing=print', 'HEAD'])
    expect(missing.split('\n').filter((line) => line.startsWith('?'))).toHaveLength(fileCount + 1)
    expect(await runClient(partial, ['show', 'HEAD:dir-7/file-7.txt'])).toBe('line of file 7')
  })

  test('a gzipped request body is understood', async () => {
    const clone = join(scratch, 'gzip.git')
    await runClient(scratch, ['clone', '-q', '--bare', '--filter=blob:none', server.url, 'gzip.git'])
    // Wanting hundreds of blobs makes a request long enough for the client to compress it.
    const oids = await runClient(clone, ['ls-tree', '-r', '--object-only', 'HEAD'])
    const wanted = oids.split('\n').slice(0, 400).join('\n')
    server.encodings.length = 0
    await runClient(clone, ['fetch', '-q', '--stdin', '--no-write-fetch-head', 'origin'], { input: `${wanted}\n` })
    expect(server.encodings).toContain('gzip')
  })

  test('a request body that unpacks without end is cut off', async () => {
    const body = Readable.from([gzipSync(Buffer.alloc(80 * 1024 * 1024))])
    const reply = await serveUploadPack(repository, { body, contentEncoding: 'gzip', gitProtocol: 'version=2' })
    reply.body.resume()
    await reply.done
    expect(reply.status).toBe(200)
  })

  test.runIf(process.platform === 'linux')(
    'a client that leaves in the middle of a clone leaves no git process',
    async () => {
      const controller = new AbortController()
      const want = `0032want ${tip}\n00000009done\n`
      const response = await fetch(`${server.url}/git-upload-pack`, {
        method: 'POST',
        body: want,
        headers: { 'content-type': 'application/x-git-upload-pack-request' },
        signal: controller.signal,
      })
      await response.body?.getReader().read()
      expect(await countProcesses(repository.path)).toBeGreaterThan(0)
      controller.abort()
      await until(async () => (await countProcesses(repository.path)) === 0)
    },
  )

  test('a Git-Protocol header that is no protocol is ignored', async () => {
    const reply = await serveInfoRefs(repository, { service: 'git-upload-pack', gitProtocol: 'version=2\nX=1; rm' })
    const text = (await reply.body.toArray()).join('')
    expect(text.startsWith('001e# service=git-upload-pack\n0000')).toBe(true)
  })

  test('a repository that is not there fails before any answer begins', async () => {
    const gone = serveInfoRefs(openRepository(join(scratch, 'gone.git')), { service: 'git-upload-pack' })
    await expect(gone).rejects.toMatchObject({ code: 'repository_not_found' })
  })
})

/** Processes with this path among their arguments, readers of the pool left out. */
async function countProcesses(path: string): Promise<number> {
  let count = 0
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    const line = await readDiskFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (line.includes(path) && !line.includes('cat-file')) count += 1
  }
  return count
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(50)
}
