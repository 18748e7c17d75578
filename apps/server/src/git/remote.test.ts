import { execFileSync } from 'node:child_process'
import { mkdir, readFile as readDiskFile, readdir } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { connect, createServer as createTcpServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  checkRemoteUrl,
  commitFiles,
  createRepository,
  fetchRemote,
  GitError,
  listRemoteRefs,
  pushRemote,
  type RemoteAccess,
  type Repository,
  readBranch,
  readFile,
} from './index.ts'
import { buildSshCommand } from './ssh-command.ts'
import { ada, makeRepository } from './testing/make-repository.ts'
import { runClient } from './testing/run-client.ts'
import { type GitServer, startGitServer } from './testing/start-git-server.ts'

const code = (error: unknown) => (GitError.isInstance(error) ? error.code : error)
const password = 'token-that-must-not-leak'

let foreign: Repository
let mirror: Repository
let scratch: string
let server: GitServer
let proxy: { url: string; dialled: string[]; server: Server; sockets: Set<Socket>; allow: boolean }
let access: RemoteAccess

beforeAll(async () => {
  const made = await makeRepository()
  foreign = made.repository
  scratch = made.scratch
  const openssl = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  execFileSync('openssl', [...openssl, ...names, '-keyout', 'key.pem', '-out', 'cert.pem'], {
    cwd: scratch,
    stdio: 'ignore',
  })
  const tls = { key: await readDiskFile(join(scratch, 'key.pem')), cert: await readDiskFile(join(scratch, 'cert.pem')) }
  server = await startGitServer(foreign, { tls, password })
  proxy = await startProxy()
  mirror = (await createRepository(join(scratch, 'mirror.git'))).repository
  access = {
    url: server.url,
    credential: { type: 'basic', password },
    proxyUrl: proxy.url,
    caFile: join(scratch, 'cert.pem'),
    timeoutMs: 20_000,
  }
})

afterAll(async () => {
  await server.close()
  for (const socket of proxy.sockets) socket.destroy()
  await new Promise((resolve) => proxy.server.close(resolve))
})

describe('a repository on another host', () => {
  test('is listed, fetched and pushed through the proxy with the credential', async () => {
    const refs = await listRemoteRefs(access)
    expect(refs.defaultBranch).toBe('main')
    const tip = await readBranch(foreign, 'main')
    expect(refs.branches).toEqual(new Map([['main', tip]]))
    await fetchRemote(mirror, access)
    expect((await readFile(mirror, { ref: 'main', path: 'README.md' })).text).toBe('# Hello\n')

    const input = { branch: 'main', expectedParent: tip, message: 'Here', author: ada }
    const { commit } = await commitFiles(mirror, { ...input, changes: [{ path: 'here', content: 'x' }] })
    await pushRemote(mirror, { ...access, updates: [{ branch: 'main', newSha: commit, expectedSha: tip }] })
    expect(await readBranch(foreign, 'main')).toBe(commit)
    expect(new Set(proxy.dialled)).toEqual(new Set([`localhost:${server.port}`]))
  })

  test('a branch that moved there is not overwritten; a branch deleted there goes here', async () => {
    const tip = await readBranch(foreign, 'main')
    await runClient(foreign.path, ['branch', 'short-lived', 'main'])
    await fetchRemote(mirror, access)
    expect(await readBranch(mirror, 'short-lived')).toBe(tip)
    const [parent = ''] = (await runClient(foreign.path, ['rev-parse', 'main^'])).split('\n')
    const updates = [{ branch: 'short-lived', newSha: parent, expectedSha: 'a'.repeat(40) }]
    expect(await pushRemote(mirror, { ...access, updates }).catch(code)).toBe('remote_rejected')
    const again = [{ branch: 'main', newSha: parent, expectedSha: null }]
    expect(await pushRemote(mirror, { ...access, updates: again }).catch(code)).toBe('remote_rejected')
    await runClient(foreign.path, ['branch', '-D', 'short-lived'])
    await fetchRemote(mirror, access)
    expect(await readBranch(mirror, 'short-lived')).toBeNull()
  })

  test('a wrong or missing credential says so without showing it', async () => {
    for (const credential of [null, { type: 'basic' as const, password: `${password}-wrong` }]) {
      const failed = await listRemoteRefs({ ...access, credential }).catch((error: unknown) => error)
      expect(code(failed)).toBe('remote_unauthorized')
      expect(JSON.stringify([failed, GitError.isInstance(failed) && failed.privateText, String(failed)])).not.toContain(
        password,
      )
    }
  })

  test('a host the proxy refuses is not reached in any other way', async () => {
    proxy.allow = false
    expect(await listRemoteRefs(access).catch(code)).toBe('remote_unreachable')
    const known = join(scratch, 'known_hosts')
    const ssh = { ...access, credential: null, url: `ssh://git@localhost:${server.port}/x.git`, knownHostsFile: known }
    expect(await listRemoteRefs(ssh).catch(code)).toBe('remote_unreachable')
    proxy.allow = true
  })

  test('ssh dials through the proxy too, and its key file is gone afterwards', async () => {
    const port = await startSilentSshServer()
    const folder = join(scratch, 'tmp')
    await mkdir(folder)
    vi.stubEnv('TMPDIR', folder)
    proxy.dialled.length = 0
    const credential = { type: 'ssh' as const, privateKey: 'not a key' }
    const ssh = {
      ...access,
      credential,
      url: `git@localhost:${port}/x.git`,
      knownHostsFile: join(scratch, 'known_hosts'),
    }
    const url = `ssh://git@localhost:${port}/x.git`
    expect(await listRemoteRefs({ ...ssh, url }).catch(code)).toBe('remote_unreachable')
    expect(proxy.dialled).toEqual([`localhost:${port}`])
    expect(tmpdir()).toBe(folder)
    expect(await readdir(folder)).toEqual([])
    vi.unstubAllEnvs()
  })

  test('a repository larger than allowed is not taken in', async () => {
    const { scratch: other } = await makeRepository()
    await mkdir(join(other, 'x'))
    const small = (await createRepository(join(other, 'small.git'))).repository
    const noise = Buffer.from(Array.from({ length: 300_000 }, () => Math.floor(Math.random() * 256)))
    const tip = await readBranch(foreign, 'main')
    const input = { branch: 'main', expectedParent: tip, message: 'Noise', author: ada }
    await commitFiles(foreign, { ...input, changes: [{ path: 'noise', content: noise }] })
    const failed = await fetchRemote(small, { ...access, maxPackBytes: 100_000 }).catch((error: unknown) => error)
    expect(code(failed)).toBe('too_large')
    expect(await readBranch(small, 'main')).toBeNull()
  })
})

describe('the address of a repository', () => {
  test.each([
    ['https://example.com/a/b.git', 'https', 'example.com', 443],
    ['https://example.com:8443/a', 'https', 'example.com', 8443],
    ['ssh://git@example.com/a/b.git', 'ssh', 'example.com', 22],
    ['git@example.com:a/b.git', 'ssh', 'example.com', 22],
    ['ssh://git@[::1]:2222/a', 'ssh', '::1', 2222],
  ])('%s is understood', (url, protocol, host, port) => {
    expect(checkRemoteUrl(url)).toMatchObject({ protocol, host, port })
  })

  test.each([
    'file:///etc',
    '/etc/passwd',
    './repo',
    'ext::sh -c touch% /tmp/x',
    'git://example.com/a',
    'http://example.com/a',
    'ftp://example.com/a',
    'fd::17',
    'https::https://example.com/a',
    'https://user:secret@example.com/a',
    'https://token@example.com/a',
    'ssh://git:secret@example.com/a',
    'ssh://-oProxyCommand=x/a',
    'ssh://-oProxyCommand=x@example.com/a',
    '-oProxyCommand=x:a',
    'git@-oProxyCommand=x:a',
    '--upload-pack=x',
    'https://example.com/a\nb',
    'https://example.com/',
    'https:///a',
    'https://exa mple.com/a',
    'ssh://git@example.com/-x',
    'ssh://git@example.com/a;touch x',
    'ssh://git@example.com/$(id)',
    '',
  ])('%j is refused', (url) => {
    expect(() => checkRemoteUrl(url)).toThrow(expect.objectContaining({ code: 'invalid_url' }))
  })

  test('even if one came through, git itself may use no other protocol', async () => {
    const marker = join(scratch, 'owned')
    const failed = await runClientOfLayer(['ls-remote', `ext::touch ${marker}`])
    expect(failed).toContain("transport 'ext' not allowed")
    expect(await runClientOfLayer(['ls-remote', foreign.path])).toContain("transport 'file' not allowed")
  })

  test('ssh pins unknown hosts in the given file only and asks nobody', () => {
    const command = buildSshCommand({ knownHostsFile: '/data/known', keyFile: '/tmp/key', usesProxy: false })
    expect(command).toContain(`'StrictHostKeyChecking=accept-new' -o 'UserKnownHostsFile="/data/known"'`)
    expect(command).toContain('BatchMode=yes')
    expect(command).not.toContain('ProxyCommand')
  })
})

async function runClientOfLayer(args: string[]): Promise<string> {
  const { runGit } = await import('./run-git.ts')
  return runGit(null, args).then(
    () => 'it worked',
    (error: unknown) => (GitError.isInstance(error) ? error.privateText : String(error)),
  )
}

/** An HTTP CONNECT proxy: the shape of the platform's guarded dialer. */
async function startProxy() {
  const sockets = new Set<Socket>()
  const dialled: string[] = []
  const state = { url: '', dialled, allow: true, server: createServer(), sockets }
  state.server.on('connect', (request, client: Socket) => {
    sockets.add(client)
    client.on('error', () => undefined)
    if (!state.allow) return void client.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    state.dialled.push(request.url ?? '')
    const [host = '', port = ''] = (request.url ?? '').split(':')
    const upstream = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      upstream.pipe(client)
      client.pipe(upstream)
    })
    upstream.on('error', () => client.destroy())
  })
  await new Promise<void>((resolve) => state.server.listen(0, '127.0.0.1', resolve))
  const address = state.server.address()
  state.url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  return state
}

/** Greets like an ssh server, then hangs up: enough to see who dialled. */
async function startSilentSshServer(): Promise<number> {
  const tcp = createTcpServer((socket) => {
    socket.on('error', () => undefined)
    socket.end('SSH-2.0-test\r\n')
  })
  await new Promise<void>((resolve) => tcp.listen(0, 'localhost', resolve))
  tcp.unref()
  const address = tcp.address()
  return typeof address === 'object' && address ? address.port : 0
}
