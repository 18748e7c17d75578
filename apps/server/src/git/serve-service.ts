import { spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { PassThrough, type Readable, Transform, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { signalGroup } from './end-process.ts'
import { buildGitEnvironment, type GitSettings } from './git-environment.ts'
import { GitError } from './git-error.ts'
import { limitCommand } from './limit-command.ts'
import type { Repository } from './repository.ts'
import { gitArguments } from './run-git.ts'

/** An answer ready for any HTTP server. Destroying `body` before its end means that the client has gone. */
export interface GitReply<T = void> {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readable
  /** Settles when the git process has ended; never rejects. */
  readonly done: Promise<T>
}

export interface ServiceRequest {
  /** The request body as it came in, and its Content-Encoding. */
  readonly body: Readable
  readonly contentEncoding?: string | undefined
  /** The Git-Protocol header. */
  readonly gitProtocol?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number
}

interface Service {
  readonly command: readonly string[]
  readonly settings: GitSettings
  readonly variables: Readonly<Record<string, string>>
  readonly maxRequestBytes: number
  readonly maxMemoryBytes: number | null
  /** When the client leaves after its whole request has arrived: finish the work, or stop at once. */
  readonly finishesAlone: boolean
}

export interface RunningService {
  readonly output: Readable
  readonly exited: Promise<number | null>
  /** A private line to the hooks of this process. */
  readonly hookLine: Socket
}

const defaultTimeoutMs = 30 * 60_000
const politeMs = 3_000

/**
 * Runs upload-pack or receive-pack between a request and a reply. Bytes flow both ways with back-pressure and are never
 * gathered. The process and its children end when the client leaves, the time is over or the request is broken.
 */
export function startService(repository: Repository, request: ServiceRequest, service: Service): RunningService {
  const child = spawnLimited(repository, service)
  const [input, output] = [child.stdin, new PassThrough({ highWaterMark: 256 * 1024 })]
  // It may end before anybody reads it.
  output.on('error', () => undefined)
  let hasWholeRequest = false
  let hasExited = false
  let isStopping = false
  let hasSpoken = false
  child.stdout.once('data', () => {
    hasSpoken = true
  })
  const exited = new Promise<number | null>((resolve) => {
    child.once('close', (code) => resolve(code))
    child.once('error', () => resolve(null))
  }).then((code) => {
    hasExited = true
    // Clients of git wait for ever for the rest of an answer to a push that looks whole and is not: it is cut off when git
    // was killed, or gave up after its first word. What upload-pack says before it gives up is for the client to read.
    const isHalf = code === null || (code !== 0 && service.finishesAlone && hasSpoken)
    if (!isHalf) output.end()
    else output.destroy(isStopping ? undefined : new GitError('git_failed', 'git ended before its answer was whole.'))
    return code
  })

  const stop = () => {
    if (isStopping || hasExited) return
    isStopping = true
    // End of input lets git remove what it had begun; the signals are for one that does not listen.
    input.destroy()
    const term = setTimeout(() => signalGroup(child, 'SIGTERM'), service.finishesAlone ? politeMs : 0)
    const kill = setTimeout(() => signalGroup(child, 'SIGKILL'), 2 * politeMs)
    void exited.then(() => {
      clearTimeout(term)
      clearTimeout(kill)
    })
  }

  const timer = setTimeout(stop, request.timeoutMs ?? defaultTimeoutMs)
  request.signal?.addEventListener('abort', stop, { once: true })
  void exited.then(() => {
    clearTimeout(timer)
    request.signal?.removeEventListener('abort', stop)
    request.body.resume()
  })
  if (request.signal?.aborted) stop()

  feed(request, input, service.maxRequestBytes).then(
    () => {
      hasWholeRequest = true
    },
    () => stop(),
  )
  child.stdout.pipe(output, { end: false })
  output.once('close', () => {
    if (hasExited || output.readableEnded) return
    if (!(service.finishesAlone && hasWholeRequest)) stop()
    child.stdout.resume()
  })
  return { output, exited, hookLine: child.hookLine }
}

function spawnLimited(repository: Repository, { command, settings, variables, maxMemoryBytes }: Service) {
  const args = gitArguments(repository, [...command, repository.path])
  const [file, fileArgs] = limitCommand(maxMemoryBytes === null ? {} : { memoryBytes: maxMemoryBytes }, args)
  const child = spawn(file, fileArgs, {
    env: buildGitEnvironment(settings, variables),
    cwd: '/',
    stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
    detached: true,
  })
  const { stdin, stdout, stdio } = child
  const hookLine = stdio[3]
  if (!stdin || !stdout || !(hookLine instanceof Socket)) throw new GitError('git_failed', 'git could not be started.')
  // A closed pipe shows in the exit of the process, which is what callers wait for.
  stdin.on('error', () => undefined)
  stdout.on('error', () => undefined)
  hookLine.on('error', () => undefined)
  return Object.assign(child, { stdin, stdout, hookLine })
}

async function feed(request: ServiceRequest, input: Writable, maxBytes: number): Promise<void> {
  const limit = limitBytes(maxBytes)
  if (request.contentEncoding === 'gzip' || request.contentEncoding === 'x-gzip') {
    await pipeline(request.body, createGunzip(), limit, input)
    return
  }
  await pipeline(request.body, limit, input)
}

function limitBytes(maxBytes: number): Transform {
  let total = 0
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      total += piece.length
      if (total > maxBytes) done(new GitError('too_large', `The request is larger than ${maxBytes} bytes.`))
      else done(null, piece)
    },
  })
}
