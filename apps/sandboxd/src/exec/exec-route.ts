import type { Daemon } from '../daemon.ts'
import { readJson, readText } from '../http/read-body.ts'
import { refuse, sendJson } from '../http/reply.ts'
import type { Call } from '../http/route.ts'
import { type CommandResult, runCommand } from './run-command.ts'

const maxTimeoutMs = 3_600_000
const defaultTimeoutMs = 60_000
const maxOutputBytes = 16 * 1024 * 1024
const defaultOutputBytes = 1_048_576

/** `POST /svc/exec`: runs one program as the agent and answers when it has ended. */
export async function execCommand(daemon: Daemon, { request, response }: Call): Promise<void> {
  const body = await readJson(request, 32 * 1024 * 1024)
  const argv = readArgv(body.argv)
  const env = { ...daemon.environment.current(), ...readEnv(body.env) }
  const result = await run(argv, {
    cwd: readText(body, 'cwd') ?? daemon.settings.workspace,
    env,
    input: readText(body, 'input'),
    timeoutMs: readBound(body.timeoutMs, defaultTimeoutMs, maxTimeoutMs),
    maxOutputBytes: readBound(body.maxOutputBytes, defaultOutputBytes, maxOutputBytes),
  })
  sendJson(response, 200, { ...result, exitCode: result.exitCode ?? null, signal: result.signal ?? null })
}

async function run(argv: readonly string[], options: Parameters<typeof runCommand>[1]): Promise<CommandResult> {
  try {
    return await runCommand(argv, options)
  } catch (error) {
    // Not found, not executable, no such folder: a program's failure, told as a shell would tell it.
    const stderr = `${argv[0]}: ${error instanceof Error ? error.message : String(error)}\n`
    return { exitCode: 127, signal: undefined, stdout: '', stderr, truncated: false }
  }
}

function readArgv(value: unknown): readonly string[] {
  const isArgv = Array.isArray(value) && value.length > 0 && value.every((part) => typeof part === 'string')
  if (!isArgv) throw refuse(400, 'bad_request', 'argv must be a list of strings with at least the program.')
  return value
}

function readEnv(value: unknown): Record<string, string> {
  if (value === undefined || value === null) return {}
  if (typeof value !== 'object') throw refuse(400, 'bad_request', 'env must be an object of strings.')
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]))
}

function readBound(value: unknown, fallback: number, max: number): number {
  if (value === undefined || value === null) return fallback
  if (typeof value !== 'number' || !(value > 0)) throw refuse(400, 'bad_request', 'Limits must be positive numbers.')
  return Math.min(value, max)
}
