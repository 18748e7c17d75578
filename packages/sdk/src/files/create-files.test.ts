import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { configureSvc } from '../config/platform-config.ts'
import { type Override, startFakePlatform } from '../session/testing/fake-platform.ts'
import { files } from './create-files.ts'

let platform: Awaited<ReturnType<typeof startFakePlatform>>
beforeEach(async () => {
  platform = await startFakePlatform()
  configureSvc({ backendUrl: platform.url, getToken: async () => 't', sandboxId: 'sb1' })
})
afterEach(() => platform.stop())

const bytesOf = (size: number) => new Uint8Array(size).map((_, at) => at * 31)
const blobOf = (size: number) => new Blob([bytesOf(size)])
/** Answers the first requests that match, then leaves them to the sandbox. */
const failFirst = (pattern: RegExp, ...replies: ReturnType<Override>[]): Override => {
  return ({ method, path }) => (pattern.test(`${method} ${path}`) ? replies.shift() : undefined)
}
const refuse = (status: number, code = 'x', extras = {}) => ({ status, json: { error: 'no', code, ...extras } })

describe('uploads', () => {
  test.each([
    [10, 1, [10]],
    [65_536, 1, [65_536]],
    [65_537, 2, [65_536, 65_537]],
    [200_000, 4, [65_536, 131_072, 196_608, 200_000]],
  ])('%i bytes travel in %i pieces and arrive whole', async (size, pieces, confirmed) => {
    const progress: number[] = []
    const onProgress = ({ loadedBytes, totalBytes }: { loadedBytes: number; totalBytes: number }) => {
      progress.push(loadedBytes)
      expect(totalBytes).toBe(size)
      throw new Error('whoever watches must not break it')
    }
    expect(await files.upload(blobOf(size), '/workspace/a', 'b.bin', { onProgress })).toEqual([
      { path: '/workspace/a/b.bin', size },
    ])
    expect(platform.files.get('a/b.bin')?.equals(bytesOf(size))).toBe(true)
    expect(platform.requests(/^(PUT|POST) .*upload(\/[\w-]+)?$/)).toHaveLength(pieces)
    expect(progress).toEqual(confirmed)
  })

  test('a piece is repeated after 408, 429, 502, 503, 504 and a lost connection', async () => {
    platform.state.override = failFirst(/^PUT/, refuse(408), refuse(429))
    await files.upload(blobOf(70_000), '', 'a')
    expect(platform.requests(/^PUT/)).toHaveLength(4)
  })

  test('a piece that was refused is sent again from where the sandbox stands', async () => {
    platform.state.override = failFirst(
      /^PUT/,
      refuse(422, 'checksum_mismatch'),
      undefined,
      refuse(409, 'offset_mismatch', { expected: 0 }),
    )
    await files.upload(blobOf(150_000), '', 'a')
    expect(platform.files.get('a')?.equals(bytesOf(150_000))).toBe(true)
    const sent = platform.requests(/^PUT/).map(({ query }) => Number(query.get('offset')))
    expect(sent).toEqual([0, 0, 65_536, 0, 65_536, 131_072])
  })

  test.each([
    ['pieces that never check out', /^PUT/, () => refuse(422, 'checksum_mismatch')],
    ['a sandbox ahead of what was read', /^PUT/, () => refuse(409, 'offset_mismatch', { expected: 1_000_000 })],
    ['a sandbox that confirms less than was sent', /^PUT/, () => ({ json: { received: 1 } })],
    ['a whole that does not check out', /complete$/, () => refuse(422, 'checksum_mismatch')],
    ['a size that is not the size', /complete$/, () => ({ json: [{ path: '/workspace/a', size: 1 }] })],
  ])('%s: given up, and the rest is removed', async (_name, pattern, reply) => {
    platform.state.override = ({ method, path }) => (pattern.test(`${method} ${path}`) ? reply() : undefined)
    await expect(files.upload(blobOf(70_000), '', 'a')).rejects.toMatchObject({ code: 'UPLOAD_SIZE_MISMATCH' })
    expect(platform.requests(/^DELETE .*upload/)).toHaveLength(1)
    expect(platform.files.size).toBe(0)
  })

  test('a success without a path is none', async () => {
    platform.state.override = () => ({ json: [] })
    await expect(files.upload('x')).rejects.toMatchObject({ code: 'UPLOAD_NO_RESULT' })
  })
})

describe('files', () => {
  test('without a sandbox nothing is sent', async () => {
    configureSvc({ backendUrl: platform.url, getToken: async () => 't', sandboxId: 'sb1', billingEnabled: true })
    await expect(files.list('/workspace')).rejects.toMatchObject({ name: 'RuntimeNotReadyError' })
    expect(platform.seen).toEqual([])
  })

  test('each call asks the daemon for what it names', async () => {
    platform.state.override = ({ path }) =>
      path.endsWith('/file') || path.endsWith('/find') ? { json: [] } : undefined
    await files.list('/workspace')
    await files.list('/tmp/x')
    await files.read('/workspace/a b.txt')
    await files.status()
    await files.findFiles('q', { type: 'file', limit: 3 })
    await files.findText('a.*b')
    await files.mkdir('/workspace/new')
    const asked = platform.seen.map(({ method, path, query, body }) => `${method} ${path} ${query} ${body}`.slice(0))
    expect(asked.map((line) => line.replace('p/sb1/8000/', '').trim())).toEqual([
      'GET file path=.',
      'GET file path=%2Ftmp%2Fx',
      'GET file/content path=a+b.txt',
      'GET file/status',
      'GET find/file query=q&type=file&limit=3',
      'GET find pattern=a.*b',
      'POST file/mkdir  {"path":"new"}',
    ])
  })

  test('rows of the list carry absolute paths, and texts wrapped by the search are unwrapped', async () => {
    const row = { name: 'a', path: 'a', absolute: '/workspace/a', type: 'file', ignored: false }
    platform.state.override = ({ path }) =>
      path.endsWith('/file')
        ? { json: [row] }
        : { json: [{ path: { text: 'a' }, lines: { text: 'l' }, line_number: 1 }] }
    expect(await files.list('')).toEqual([{ ...row, path: '/workspace/a' }])
    expect(await files.findText('l')).toEqual([{ path: 'a', lines: 'l', line_number: 1 }])
  })

  test('a file is written beside its place and moved there; a failed move leaves what was there', async () => {
    expect(await files.write('/workspace/a.txt', 'one')).toEqual({ path: '/workspace/a.txt', bytes: 3 })
    expect([...platform.files].map(([path, content]) => [path, String(content)])).toEqual([['a.txt', 'one']])
    platform.state.override = ({ path }) => (path.endsWith('rename') ? refuse(500) : undefined)
    await expect(files.write('/workspace/a.txt', 'two')).rejects.toMatchObject({ status: 500 })
    expect([...platform.files].map(([path, content]) => [path, String(content)])).toEqual([['a.txt', 'one']])
  })

  test('create, copy, rename and remove', async () => {
    await files.create('empty.txt')
    await files.write('a.txt', blobOf(70_000))
    await files.copy('a.txt', 'sub/b.txt')
    await files.rename('a.txt', 'c.txt')
    await files.remove('/workspace/empty.txt')
    expect([...platform.files.keys()].sort()).toEqual(['c.txt', 'sub/b.txt'])
    expect(platform.files.get('sub/b.txt')?.equals(bytesOf(70_000))).toBe(true)
  })

  test('bytes come raw, else out of the content; a page of HTML is not the file', async () => {
    await files.upload(blobOf(20), '', 'a.bin')
    expect(new Uint8Array(await (await files.readBlob('a.bin')).arrayBuffer())).toEqual(bytesOf(20))
    platform.state.override = ({ path }) =>
      path.endsWith('raw') ? { text: '<p>', type: 'text/html' } : { json: { content: 'aGk=', encoding: 'base64' } }
    expect(await (await files.readBlob('a.bin')).text()).toBe('hi')
    platform.state.override = ({ path }) => (path.endsWith('raw') ? { text: '<p>', type: 'text/html' } : refuse(404))
    await expect(files.readBlob('a.bin')).rejects.toMatchObject({ code: 'INVALID_CONTENT_TYPE' })
  })
})
