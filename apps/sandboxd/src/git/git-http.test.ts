import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestDaemon, type TestDaemon } from '../testing/test-daemon.ts'

/**
 * The way git really goes in a machine: to the loopback port of the platform's API, through the egress socket, with the
 * session's token.
 */

const branch = '0b9c6f1e-1111-4222-8333-444455556666'
const token = 'session-token-1'
let folder: string
let platform: Server
let daemon: TestDaemon
const refused: string[] = []

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-git-http-'))
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=s', '-c', 'user.email=s@t', ...args], { cwd, stdio: 'pipe' })
  mkdirSync(join(folder, 'v1/git'), { recursive: true })
  git(folder, 'init', '-q', '--bare', '-b', 'main', 'v1/git/p1.git')
  git(folder, '-C', 'v1/git/p1.git', 'config', 'http.receivepack', 'true')
  git(folder, 'clone', '-q', 'v1/git/p1.git', 'seed')
  writeFileSync(join(folder, 'seed', 'readme.md'), 'hello')
  git(join(folder, 'seed'), 'checkout', '-q', '-B', 'main')
  git(join(folder, 'seed'), 'add', '-A')
  git(join(folder, 'seed'), 'commit', '-qm', 'seed')
  git(join(folder, 'seed'), 'push', '-q', 'origin', 'main')

  platform = createServer(serveGit)
  daemon = await startTestDaemon({
    runtime: false,
    boot: (ports) => ({
      env: { SVC_TOKEN: token },
      repository: {
        url: `http://127.0.0.1:${ports.apiPort}/v1/git/p1.git`,
        branch,
        baseRef: 'main',
        authorName: 'An Agent',
        authorEmail: 'agent@test',
      },
    }),
    prepare: ({ runDir }) => new Promise((resolve) => platform.listen(join(runDir, 'egress.sock'), resolve)),
  })
  await daemon.waitFor(({ repo_ready, boot_error }) => repo_ready === true || boot_error !== null)
})
afterAll(async () => {
  await daemon.stop()
  platform.close()
  rmSync(folder, { recursive: true, force: true })
})

/** `git http-backend` behind a check of the token. */
function serveGit(request: IncomingMessage, response: ServerResponse): void {
  const given = Buffer.from(/^Basic (.*)$/.exec(request.headers.authorization ?? '')?.[1] ?? '', 'base64').toString()
  if (given !== `x-access-token:${token}`) {
    refused.push(given)
    response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end()
    return
  }
  const url = new URL(request.url ?? '/', 'http://x')
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      REMOTE_USER: 'agent',
      REQUEST_METHOD: request.method,
      PATH_INFO: url.pathname,
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      ...(request.headers['content-encoding'] ? { HTTP_CONTENT_ENCODING: request.headers['content-encoding'] } : {}),
    },
  })
  request.pipe(backend.stdin)
  const chunks: Buffer[] = []
  backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  backend.once('close', () => {
    const answer = Buffer.concat(chunks)
    const end = answer.indexOf('\r\n\r\n')
    const headers = answer.subarray(0, end).toString().split('\r\n')
    const pairs = headers.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()])
    const { Status: status = '200', ...rest } = Object.fromEntries(pairs)
    response.writeHead(Number.parseInt(status, 10), rest).end(answer.subarray(end + 4))
  })
}

test('the repository is cloned and pushed with the session’s token, which git never stores', async () => {
  expect(await daemon.health()).toMatchObject({ boot_error: null, repo_ready: true, branch })
  writeFileSync(join(daemon.workspace, 'work.txt'), 'done')
  const { status, json } = await daemon.call('POST', '/svc/git/commit-push', { as: 'key', body: { message: 'work' } })
  expect([status, json]).toMatchObject([200, { committed: true, pushed: true, branch }])
  const log = execFileSync('git', ['log', '-1', '--format=%s', branch], { cwd: join(folder, 'v1/git/p1.git') })
  expect(log.toString().trim()).toBe('work')
  const search = ['-c', `grep -rl ${token} "$1" "$2" || true`, 'sh', daemon.workspace, daemon.home]
  expect(execFileSync('sh', search).toString()).toBe('')
})

test('an agent’s own git in a shell has the same way in', async () => {
  const { json } = await daemon.call('POST', '/svc/exec', {
    as: 'key',
    body: { argv: ['bash', '-c', 'git fetch origin main && git log -1 --format=%s FETCH_HEAD'] },
  })
  expect(json).toMatchObject({ exitCode: 0, stdout: 'seed\n' })
  expect(refused.every((given) => given === '')).toBe(true)
})
