import { execFileSync } from 'node:child_process'
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../testing/test-daemon.ts'

let daemon: TestDaemon
let outside: string
beforeAll(async () => {
  daemon = await startTestDaemon({ runtime: false })
  outside = mkdtempSync(join(tmpdir(), 'svc-outside-'))
})
afterAll(async () => {
  await daemon.stop()
  rmSync(outside, { recursive: true, force: true })
})
beforeEach(() => {
  for (const name of readdirSync(daemon.workspace))
    rmSync(join(daemon.workspace, name), { recursive: true, force: true })
  rmSync(outside, { recursive: true, force: true })
  mkdirSync(outside)
  writeFileSync(join(outside, 'secret'), 'not yours')
})

const at = (...parts: string[]) => join(daemon.workspace, ...parts)
const get = (route: string, path: string) => daemon.call('GET', `${route}?path=${encodeURIComponent(path)}`)
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: daemon.workspace })

describe('list', () => {
  test('directories come first, then by name, with what git ignores marked', async () => {
    git('init', '-q')
    mkdirSync(at('src'))
    mkdirSync(at('build'))
    writeFileSync(at('b.txt'), '')
    writeFileSync(at('a.txt'), '')
    writeFileSync(at('.gitignore'), 'build\n')
    const { status, json } = await get('/file', '.')
    expect(status).toBe(200)
    expect(json.map(({ name, type, ignored }: Record<string, unknown>) => [name, type, ignored])).toEqual([
      ['.git', 'directory', true],
      ['build', 'directory', true],
      ['src', 'directory', false],
      ['.gitignore', 'file', false],
      ['a.txt', 'file', false],
      ['b.txt', 'file', false],
    ])
    expect(json[2]).toMatchObject({ path: 'src', absolute: at('src') })
  })

  test('a missing folder is 404, a file 400, a path that leads out 403', async () => {
    writeFileSync(at('a.txt'), '')
    expect((await daemon.call('GET', '/file')).status).toBe(400)
    expect((await get('/file', 'none')).status).toBe(404)
    expect((await get('/file', 'a.txt')).status).toBe(400)
    const out = await get('/file', '../..')
    expect([out.status, out.json.error]).toEqual([403, expect.stringMatching(/^Access denied/)])
  })
})

describe('read', () => {
  test('text comes as text, other bytes as base64, both with size and type', async () => {
    writeFileSync(at('page.html'), '<p>é</p>')
    writeFileSync(at('data.bin'), Buffer.from([0, 1, 255]))
    expect((await get('/file/content', 'page.html')).json).toEqual({
      type: 'text',
      content: '<p>é</p>',
      mimeType: 'text/html',
      size: 9,
    })
    expect((await get('/file/content', 'data.bin')).json).toEqual({
      type: 'binary',
      content: 'AAH/',
      encoding: 'base64',
      mimeType: 'application/octet-stream',
      size: 3,
    })
    expect((await get('/file/content', '')).status).toBe(400)
  })

  test('raw gives the bytes, and one range of them', async () => {
    writeFileSync(at('a.txt'), '0123456789')
    const whole = await get('/file/raw', 'a.txt')
    expect([whole.text, whole.headers['content-length']]).toEqual(['0123456789', '10'])
    const part = await daemon.call('GET', '/file/raw?path=a.txt', { headers: { Range: 'bytes=2-4' } })
    expect([part.status, part.text, part.headers['content-range']]).toEqual([206, '234', 'bytes 2-4/10'])
    const past = await daemon.call('GET', '/file/raw?path=a.txt', { headers: { Range: 'bytes=20-' } })
    expect(past.status).toBe(416)
  })

  test('a FIFO or a device is refused at once, not waited for', async () => {
    execFileSync('mkfifo', [at('pipe')])
    expect((await get('/file/raw', 'pipe')).status).toBe(400)
    expect((await get('/file/content', 'pipe')).status).toBe(400)
  })

  test('a file too large for an answer is pointed to raw', async () => {
    writeFileSync(at('large'), Buffer.alloc(21 * 1024 * 1024, 'x'))
    expect((await get('/file/content', 'large')).status).toBe(413)
    expect((await get('/file/raw', 'large')).body.length).toBe(21 * 1024 * 1024)
  })
})

describe('change', () => {
  test('mkdir makes the parents and may be repeated', async () => {
    for (let round = 0; round < 2; round += 1) {
      const { status, json } = await daemon.call('POST', '/file/mkdir', { body: { path: 'a/b/c' } })
      expect([status, json]).toEqual([200, true])
    }
    expect(lstatSync(at('a/b/c')).isDirectory()).toBe(true)
    writeFileSync(at('file'), '')
    expect((await daemon.call('POST', '/file/mkdir', { body: { path: 'file/x' } })).status).toBe(400)
  })

  test('rename makes the parents and replaces a file', async () => {
    writeFileSync(at('a'), 'new')
    writeFileSync(at('b'), 'old')
    expect((await daemon.call('POST', '/file/rename', { body: { from: 'a', to: 'b' } })).json).toBe(true)
    expect(readFileSync(at('b'), 'utf8')).toBe('new')
    await daemon.call('POST', '/file/rename', { body: { from: 'b', to: 'x/y/z' } })
    expect(readFileSync(at('x/y/z'), 'utf8')).toBe('new')
    expect((await daemon.call('POST', '/file/rename', { body: { from: 'none', to: 'q/r' } })).status).toBe(404)
    expect(existsSync(at('q'))).toBe(false)
  })

  test('remove takes a folder with all in it, and a link without what it points to', async () => {
    mkdirSync(at('d/e'), { recursive: true })
    writeFileSync(at('d/e/f'), '')
    symlinkSync(outside, at('d/out'))
    expect((await daemon.call('DELETE', '/file', { body: { path: 'd' } })).json).toBe(true)
    expect(existsSync(at('d'))).toBe(false)
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('not yours')
    expect((await daemon.call('DELETE', '/file', { body: { path: 'd' } })).status).toBe(404)
  })

  test('the roots themselves cannot be removed or renamed', async () => {
    for (const path of ['.', daemon.workspace, daemon.home]) {
      expect((await daemon.call('DELETE', '/file', { body: { path } })).status).toBe(403)
      expect((await daemon.call('POST', '/file/rename', { body: { from: path, to: 'x' } })).status).toBe(403)
    }
  })
})

describe('nothing leads out of the roots', () => {
  test('links out are refused wherever they stand in a path', async () => {
    symlinkSync(outside, at('out'))
    symlinkSync(join(outside, 'secret'), at('file-out'))
    symlinkSync('/proc/self', at('proc'))
    symlinkSync('out', at('twice'))
    symlinkSync('loop', at('loop'))
    for (const path of [
      'out/secret',
      'file-out',
      'proc/environ',
      'twice/secret',
      'out/../out/secret',
      'proc/root/etc/passwd',
    ]) {
      expect([path, (await get('/file/raw', path)).status]).toEqual([path, 403])
      expect([path, (await get('/file/content', path)).status]).toEqual([path, 403])
    }
    expect((await get('/file', 'out')).status).toBe(403)
    expect((await get('/file/raw', 'loop')).status).toBe(403)
    expect((await daemon.call('POST', '/file/mkdir', { body: { path: 'out/new' } })).status).toBe(403)
    expect((await daemon.call('DELETE', '/file', { body: { path: 'out/secret' } })).status).toBe(403)
    writeFileSync(at('mine'), 'x')
    expect((await daemon.call('POST', '/file/rename', { body: { from: 'mine', to: 'out/mine' } })).status).toBe(403)
    expect((await daemon.call('POST', '/file/rename', { body: { from: 'out/secret', to: 'got' } })).status).toBe(403)
    expect(readdirSync(outside)).toEqual(['secret'])
  })

  test('a link inside the roots may be followed', async () => {
    mkdirSync(at('real'))
    writeFileSync(at('real/file'), 'in here')
    symlinkSync('real', at('link'))
    expect((await get('/file/raw', 'link/file')).text).toBe('in here')
  })

  test('an upload over a hard link makes a new file and leaves the other alone', async () => {
    linkSync(join(outside, 'secret'), at('linked'))
    const form = new FormData()
    form.set('path', '.')
    form.set('filename', 'linked')
    form.set('file', new Blob(['overwritten']))
    const { json } = await sendForm(form)
    expect(json[0].path).toBe(at('linked-1'))
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('not yours')
  })

  test('swapping a folder for a link while requests run never shows what is outside', async () => {
    const rounds = process.env.SVC_TEST_LONG ? 400 : 40
    const swap = execSwap()
    try {
      const bodies = await Promise.all(Array.from({ length: rounds }, () => get('/file/raw', 'swapped/secret')))
      expect(bodies.filter(({ text }) => text.includes('not yours'))).toEqual([])
      expect(bodies.every(({ status }) => [200, 403, 404, 400].includes(status))).toBe(true)
      await Promise.all(
        Array.from({ length: rounds }, (_, index) =>
          daemon.call('POST', '/file/mkdir', { body: { path: `swapped/n${index}` } }),
        ),
      )
      await Promise.all(
        Array.from({ length: rounds }, (_, index) =>
          daemon.call('DELETE', '/file', { body: { path: `swapped/n${index}` } }),
        ),
      )
    } finally {
      swap()
    }
    expect(readdirSync(outside)).toEqual(['secret'])
  })

  test('paths made of anything are answered and never lead out', async () => {
    const seed = Number(process.env.SVC_TEST_SEED ?? Date.now() % 1_000_000)
    const random = mulberry(seed)
    const pieces = [
      '..',
      '.',
      '/',
      '//',
      'a',
      'etc',
      'passwd',
      '\\',
      '%2e%2e',
      '\u0000',
      'é',
      '~',
      'proc',
      'self',
      'root',
      ' ',
      '\n',
      'x'.repeat(300),
    ]
    const rounds = process.env.SVC_TEST_LONG ? 2000 : 200
    for (let round = 0; round < rounds; round += 1) {
      const path = Array.from(
        { length: 1 + Math.floor(random() * 8) },
        () => pieces[Math.floor(random() * pieces.length)],
      ).join(random() < 0.7 ? '/' : '')
      for (const route of ['/file', '/file/raw', '/file/content']) {
        const { status, text } = await get(route, path)
        expect([seed, path, route, [200, 400, 403, 404].includes(status)]).toEqual([seed, path, route, true])
        expect(text).not.toContain('root:x:')
      }
    }
  })
})

describe('status', () => {
  test('tells added, changed and removed files with their lines', async () => {
    git('init', '-q')
    writeFileSync(at('kept'), 'a\nb\n')
    writeFileSync(at('gone'), 'a\nb\nc\n')
    git('add', '-A')
    git('commit', '-qm', 'x')
    writeFileSync(at('kept'), 'a\nc\nd\n')
    rmSync(at('gone'))
    writeFileSync(at('fresh é'), 'one\ntwo')
    expect((await daemon.call('GET', '/file/status')).json).toEqual([
      { path: 'fresh é', added: 2, removed: 0, status: 'added' },
      { path: 'gone', added: 0, removed: 3, status: 'deleted' },
      { path: 'kept', added: 2, removed: 1, status: 'modified' },
    ])
  })

  test('without a repository there is nothing to tell', async () => {
    expect((await daemon.call('GET', '/file/status')).json).toEqual([])
  })
})

describe('find', () => {
  test('files are found by letters in order, the nearest name first', async () => {
    mkdirSync(at('src/files'), { recursive: true })
    for (const name of ['src/files/open-inside.ts', 'src/open.ts', 'readme.md']) writeFileSync(at(name), '')
    const find = async (query: string) => (await daemon.call('GET', `/find/file?${query}`)).json
    expect(await find('query=open')).toEqual(['src/open.ts', 'src/files/open-inside.ts'])
    expect(await find('query=sfoi')).toEqual(['src/files/open-inside.ts'])
    expect(await find('query=fil&type=directory')).toEqual(['src/files/'])
    expect(await find('query=open&limit=1')).toHaveLength(1)
  })

  test('text is found with its places, at most five hundred times', async () => {
    writeFileSync(at('a.ts'), 'first\nconst one = one\n')
    writeFileSync(at('b.bin'), Buffer.from([0, ...Buffer.from('one')]))
    const { json } = await daemon.call('GET', '/find?pattern=one')
    expect(json).toEqual([
      {
        path: 'a.ts',
        lines: 'const one = one',
        line_number: 2,
        absolute_offset: 6,
        submatches: [
          { start: 6, end: 9 },
          { start: 12, end: 15 },
        ],
      },
    ])
    writeFileSync(at('many'), 'one\n'.repeat(2000))
    expect((await daemon.call('GET', '/find?pattern=one')).json).toHaveLength(500)
    expect((await daemon.call('GET', '/find?pattern=(')).status).toBe(400)
  })

  test('the daemon answers others while a pattern takes for ever', async () => {
    writeFileSync(at('evil'), `${'a'.repeat(60)}!\n`)
    const search = daemon.stream('GET', `/find?pattern=${encodeURIComponent('(a+)+$')}`)
    expect((await daemon.health()).daemon).toBe('ok')
    expect((await get('/file', '.')).status).toBe(200)
    search.then((answer) => answer.destroy()).catch(() => undefined)
  })
})

describe('watch', () => {
  test('tells of files that come, change and go, in folders made later too', async () => {
    const answer = await daemon.stream('GET', '/file/watch')
    const seen: string[] = []
    answer.on('data', (chunk: Buffer) => {
      for (const [, json] of chunk.toString().matchAll(/^data: (.*)$/gm)) {
        const { properties } = JSON.parse(json ?? '{}')
        if (properties.file) seen.push(`${properties.event} ${properties.file}`)
      }
    })
    writeFileSync(at('new'), '1')
    await expect.poll(() => seen).toContain('add new')
    writeFileSync(at('new'), '2')
    await expect.poll(() => seen).toContain('change new')
    mkdirSync(at('folder'))
    writeFileSync(at('folder/inside'), '1')
    await expect.poll(() => seen).toContain('add folder/inside')
    rmSync(at('folder'), { recursive: true })
    await expect.poll(() => seen).toContain('unlink folder/inside')
    answer.destroy()
  })
})

describe('pages of the workspace', () => {
  const open = async (path: string) => {
    const { static_web_port } = await daemon.health()
    return fetch(`http://127.0.0.1:${static_web_port}${path}`)
  }

  test('a page is shown with its own links working', async () => {
    mkdirSync(at('site'))
    writeFileSync(at('site/index.html'), '<head></head><img src="i.png">')
    const answer = await open(`/open?path=${encodeURIComponent(at('site/index.html'))}`)
    expect(await answer.text()).toBe('<head><base href="site/"></head><img src="i.png">')
    expect(await (await open('/site/index.html')).text()).toBe('<head></head><img src="i.png">')
    expect(await (await open('/site/')).text()).toContain('i.png')
    expect((await open('/health')).status).toBe(200)
  })

  test('nothing but the workspace is shown', async () => {
    symlinkSync(outside, at('out'))
    for (const path of [
      '/open?path=/etc/passwd',
      '/open?path=../../etc/passwd',
      '/out/secret',
      '/%2e%2e/%2e%2e/etc/passwd',
      `/open?path=${daemon.home}/x`,
    ]) {
      expect([path, [400, 403, 404].includes((await open(path)).status)]).toEqual([path, true])
    }
  })
})

async function sendForm(form: FormData) {
  const request = new Request('http://x', { method: 'POST', body: form })
  const body = Buffer.from(await request.arrayBuffer())
  return daemon.call('POST', '/file/upload', {
    body,
    headers: { 'Content-Type': request.headers.get('content-type') ?? '' },
  })
}

test('a small form is saved where it says, or by the name of its field', async () => {
  const form = new FormData()
  form.set('path', 'docs')
  form.set('filename', '../../evil name.txt')
  form.set('file', new Blob(['hello']))
  expect((await sendForm(form)).json).toEqual([{ path: at('docs/evil name.txt'), size: 5 }])
  expect((await sendForm(form)).json).toEqual([{ path: at('docs/evil name-1.txt'), size: 5 }])
  const named = new FormData()
  named.set('notes/today.md', new Blob(['# x']), 'whatever')
  expect((await sendForm(named)).json).toEqual([{ path: at('notes/today.md'), size: 3 }])
  const escaping = new FormData()
  escaping.set('../../x', new Blob(['x']), 'x')
  expect((await sendForm(escaping)).status).toBe(403)
  expect((await sendForm(new FormData())).status).toBe(400)
  const large = new FormData()
  large.set('file', new Blob([new Uint8Array(200_000)]), 'x')
  expect((await sendForm(large)).status).toBe(413)
})

/** Swaps `swapped` between a folder and a link to the outside between all requests. */
function execSwap(): () => void {
  mkdirSync(at('real'))
  writeFileSync(at('real/secret'), 'mine')
  symlinkSync(at('real'), at('swapped'))
  let isOn = true
  const turn = () => {
    if (!isOn) return
    for (const target of [outside, at('real')]) {
      rmSync(at('next'), { force: true })
      symlinkSync(target, at('next'))
      renameSync(at('next'), at('swapped'))
    }
    setImmediate(turn)
  }
  turn()
  return () => {
    isOn = false
  }
}

function mulberry(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
