import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { signalGroup } from './end-process.ts'
import { buildGitEnvironment, type GitSettings } from './git-environment.ts'
import { GitError } from './git-error.ts'
import { limitCommand, type ProcessLimits } from './limit-command.ts'
import { processSlots } from './limit-processes.ts'

/** Where git works: the bare repository and, inside a push, the environment of the quarantine. */
export interface GitPlace {
  readonly path: string
  readonly variables: Readonly<Record<string, string>>
}

export interface RunGitOptions {
  readonly input?: string | Buffer
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number
  readonly maxOutputBytes?: number
  /** Exit codes besides 0 that are an answer and not a failure. */
  readonly answers?: readonly number[]
  readonly settings?: GitSettings
  readonly variables?: Readonly<Record<string, string>>
  readonly limits?: ProcessLimits
  /**
   * Called with every piece of output instead of collecting it; returning false ends git, which is not a failure.
   * The piece is only valid during the call.
   */
  readonly onOutput?: (piece: Buffer) => boolean
}

export interface GitResult {
  readonly stdout: Buffer
  readonly stderr: string
  readonly exitCode: number
}

const defaultTimeoutMs = 60_000
const defaultMaxOutputBytes = 64 * 1024 * 1024
const maxErrorTextBytes = 64 * 1024

/** Runs one git command to its end, with bounded time and output. Fails with a typed {@link GitError}. */
export function runGit(
  place: GitPlace | null,
  args: readonly string[],
  options: RunGitOptions = {},
): Promise<GitResult> {
  return processSlots.run(() => collect(place, args, options))
}

/**
 * Starts git with the hardened environment, as the leader of its own process group; the caller owns the streams and
 * ends it with `signalGroup`.
 */
export function spawnGit(
  place: GitPlace | null,
  args: readonly string[],
  options: Pick<RunGitOptions, 'settings' | 'variables' | 'limits'> = {},
): ChildProcessWithoutNullStreams {
  const [command, commandArgs] = limitCommand(options.limits ?? {}, gitArguments(place, args))
  return spawn(command, commandArgs, {
    env: buildGitEnvironment(options.settings, { ...place?.variables, ...options.variables }),
    cwd: '/',
    stdio: 'pipe',
    detached: true,
    windowsHide: true,
  })
}

export function gitArguments(place: GitPlace | null, args: readonly string[]): string[] {
  return place ? [`--git-dir=${place.path}`, ...args] : [...args]
}

function collect(place: GitPlace | null, args: readonly string[], options: RunGitOptions): Promise<GitResult> {
  const { signal, timeoutMs = defaultTimeoutMs, maxOutputBytes = defaultMaxOutputBytes, answers = [] } = options
  const name = args.find((arg) => !arg.startsWith('-')) ?? 'git'
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortedError())
    const child = spawnGit(place, args, options)
    const pieces: Buffer[] = []
    let size = 0
    let errorText = ''
    let early: GitError | 'enough' | undefined

    const end = (why: GitError | 'enough') => {
      if (early) return
      early = why
      signalGroup(child, 'SIGKILL')
    }
    const onAbort = () => end(abortedError())
    const timer = setTimeout(
      () =>
        end(new GitError('timeout', `The repository did not answer within ${timeoutMs} ms.`, { details: { name } })),
      timeoutMs,
    )
    signal?.addEventListener('abort', onAbort, { once: true })

    child.stdout.on('data', (piece: Buffer) => {
      if (early) return
      if (options.onOutput) {
        if (!options.onOutput(piece)) end('enough')
        return
      }
      size += piece.length
      if (size > maxOutputBytes) {
        end(new GitError('too_large', `The answer is larger than ${maxOutputBytes} bytes.`, { details: { name } }))
        return
      }
      pieces.push(piece)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (errorText.length < maxErrorTextBytes) errorText += text
    })
    // git may exit before it has read its whole input; its exit code tells the story, not this EPIPE.
    child.stdin.on('error', () => undefined)
    child.stdin.end(options.input ?? '')

    const settle = (done: () => void) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      done()
    }
    child.on('error', (cause) =>
      settle(() => reject(new GitError('git_failed', 'git could not be started. Is it installed?', { cause }))),
    )
    child.on('close', (exitCode) =>
      settle(() => {
        if (early === 'enough') return resolve({ stdout: Buffer.alloc(0), stderr: errorText, exitCode: 0 })
        if (early) return reject(early)
        const code = exitCode ?? 128
        if (code !== 0 && !answers.includes(code)) return reject(failedError(name, code, errorText))
        resolve({ stdout: Buffer.concat(pieces), stderr: errorText, exitCode: code })
      }),
    )
  })
}

function failedError(name: string, exitCode: number, errorText: string): GitError {
  if (/not a git repository|does not appear to be a git repository/.test(errorText)) {
    return new GitError('repository_not_found', 'The repository does not exist.', { privateText: errorText })
  }
  return new GitError('git_failed', `git ${name} failed.`, { details: { name, exitCode }, privateText: errorText })
}

function abortedError(): GitError {
  return new GitError('aborted', 'The request was cancelled.')
}
