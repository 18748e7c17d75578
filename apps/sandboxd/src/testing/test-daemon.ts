import { type ChildProcess, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, type IncomingMessage, request as openRequest } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { findFreePort } from '../../../../tests/support/find-free-port.ts'
import type { BootConfig } from '../boot/boot-config.ts'
import { buildDaemon } from './build-daemon.ts'

export const serviceKey = 'test-service-key'

export interface TestAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: what an answer holds is what the test is about
  readonly json: any
}

export interface CallOptions {
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** What vouches for the caller: both by default. */
  readonly as?: 'user' | 'platform' | 'key' | 'nobody'
}

export interface TestDaemon {
  readonly folder: string
  readonly workspace: string
  readonly home: string
  readonly runDir: string
  readonly runtimePort: number
  readonly proxyPort: number
  readonly apiPort: number
  readonly process: ChildProcess
  /** What the daemon itself printed. */
  output(): string
  call(method: string, path: string, options?: CallOptions): Promise<TestAnswer>
  /** The answer as it begins, its body unread. */
  stream(method: string, path: string, options?: CallOptions): Promise<IncomingMessage>
  connectWebSocket(path: string, as?: CallOptions['as']): WebSocket
  health(): Promise<Record<string, unknown>>
  waitFor(isThere: (health: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>
}

export type TestBoot = Partial<Omit<BootConfig, 'serviceKey'>>

export interface TestDaemonOptions {
  /** What it boots with; null for nothing at all. */
  readonly boot?: TestBoot | ((ports: { readonly apiPort: number }) => TestBoot) | null
  readonly runtime?: boolean
  /** Another copy of the program than the one built for the tests. */
  readonly program?: string
  readonly runtimeFlags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Runs before the daemon starts. */
  prepare?(folder: { folder: string; workspace: string; runDir: string }): Promise<void> | void
}

/** The real daemon, as a process, on a folder of its own. */
export async function startTestDaemon(options: TestDaemonOptions = {}): Promise<TestDaemon> {
  const program = options.program ?? join(buildDaemon(), 'sandboxd.mjs')
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-sandboxd-')))
  const [workspace, home, runDir] = [join(folder, 'workspace'), join(folder, 'home'), join(folder, 'run')]
  for (const path of [workspace, home, runDir]) mkdirSync(path)
  const [runtimePort, proxyPort, apiPort] = [await findFreePort(), await findFreePort(), await findFreePort()]
  await options.prepare?.({ folder, workspace, runDir })
  if (options.boot !== null) {
    const fake = join(import.meta.dirname, 'fake-runtime.mjs')
    const argv = [process.execPath, fake, String(runtimePort), ...(options.runtimeFlags ?? [])]
    const runtime = { kind: 'opencode', argv, env: { FROM_RUNTIME: '1' }, port: runtimePort, readyLine: 'listening' }
    const boot = {
      serviceKey,
      env: {},
      files: [],
      runtime: options.runtime === false ? undefined : runtime,
      ...(typeof options.boot === 'function' ? options.boot({ apiPort }) : options.boot),
    }
    writeFileSync(join(runDir, 'boot.json'), JSON.stringify(boot), { mode: 0o600 })
  }
  const child = spawn(process.execPath, [program], {
    env: {
      PATH: process.env.PATH,
      SVC_RUN_DIR: runDir,
      SVC_WORKSPACE_DIR: workspace,
      SVC_HOME_DIR: home,
      SVC_FILE_ROOTS: `${workspace}:${home}`,
      SVC_PROXY_PORT: String(proxyPort),
      SVC_API_PORT: String(apiPort),
      SVC_STATIC_PORT: '0',
      SVC_RESTART_BACKOFF_MS: '10,10',
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const socketPath = join(runDir, 'host.sock')

  const stream = (method: string, path: string, { body, headers, as = 'user' }: CallOptions = {}) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const isBytes = Buffer.isBuffer(body) || typeof body === 'string'
      const sent = body === undefined || isBytes ? body : JSON.stringify(body)
      const length =
        sent === undefined || headers?.['Transfer-Encoding']
          ? {}
          : { 'Content-Length': String(Buffer.byteLength(sent)) }
      const request = openRequest({
        socketPath,
        method,
        path,
        headers: { ...length, ...credentials(as), ...headers },
        agent: false,
      })
      request.once('response', resolve)
      request.once('error', reject)
      request.end(sent)
    })
  const call = async (method: string, path: string, given?: CallOptions): Promise<TestAnswer> => {
    const answer = await stream(method, path, given)
    const chunks: Buffer[] = []
    for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const { statusCode = 0, headers } = answer
    return { status: statusCode, headers, body, text: body.toString(), json: parseJson(body.toString()) }
  }
  const health = async () => (await call('GET', '/svc/health', { as: 'nobody' })).json
  const waitFor = async (isThere: (health: Record<string, unknown>) => boolean) => {
    for (;;) {
      const now = await health()
      if (isThere(now)) return now
      await sleep(20)
    }
  }
  while (!(await isListening(socketPath))) {
    if (child.exitCode !== null) {
      rmSync(folder, { recursive: true, force: true })
      throw new Error(`The daemon ended: ${output}`)
    }
    await sleep(10)
  }
  if (options.boot !== null && options.runtime !== false && !options.runtimeFlags?.includes('--crash')) {
    await waitFor(({ opencode }) => opencode === 'ok')
  }

  return {
    folder,
    workspace,
    home,
    runDir,
    runtimePort,
    proxyPort,
    apiPort,
    process: child,
    output: () => output,
    call,
    stream,
    connectWebSocket: (path, as = 'user') =>
      new WebSocket(`ws://sandbox${path}`, { headers: credentials(as), createConnection: () => connect(socketPath) }),
    health,
    waitFor,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      // A daemon that hangs fails its test and must not outlive it.
      const late = setTimeout(() => child.kill('SIGKILL'), 60_000)
      const code = await exited
      clearTimeout(late)
      rmSync(folder, { recursive: true, force: true })
      return code
    },
  }
}

export function signContext(claims: Readonly<Record<string, unknown>> = {}, key = serviceKey): string {
  const iat = Math.floor(Date.now() / 1000)
  const all = { userId: 'u1', sandboxId: 's1', sandboxRole: 'owner', scopes: [], iat, exp: iat + 60, ...claims }
  const payload = Buffer.from(JSON.stringify(all)).toString('base64url')
  return `${payload}.${createHmac('sha256', key).update(payload).digest('base64url')}`
}

function credentials(as: NonNullable<CallOptions['as']>): Record<string, string> {
  if (as === 'nobody') return {}
  const key = { Authorization: `Bearer ${serviceKey}` }
  if (as === 'key') return key
  if (as === 'platform') return { ...key, 'X-Svc-Service-Call': '1', 'X-Svc-User-Context': signContext() }
  return { ...key, 'X-Svc-User-Context': signContext() }
}

const isListening = (path: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

/** The resident memory of a process, as the kernel counts it. */
export function residentBytes(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not every answer is JSON; those that are not are read as text.
    return undefined
  }
}

/** A process that ended and waits to be reaped by whoever adopted it is not alive. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    // No such process any more.
    return false
  }
}
