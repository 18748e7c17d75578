import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { findFreePort } from '../../../../../tests/support/find-free-port.ts'
import { signal } from '../../kernel/database/embedded/leftovers.ts'
import { findRipgrep } from '../find-program.ts'
import type { MachinePaths } from '../machine-paths.ts'
import type { AgentRuntime, PreparedRuntime, RuntimeInput, RuntimeTransport } from '../runtime.ts'

/** A folder that stands for a machine: home, workspace and tmp of its own. */
export async function makeTestMachine(programs: Pick<MachinePaths, 'opencode' | 'pi' | 'piBridge'>) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-runtime-'))
  const paths: MachinePaths = {
    ...programs,
    home: join(folder, 'home'),
    workspace: join(folder, 'workspace'),
    tmp: join(folder, 'tmp'),
    node: process.execPath,
    tools: dirname(findRipgrep()?.path ?? '/usr/bin/rg'),
    port: await findFreePort(),
  }
  for (const path of [paths.home, paths.workspace, paths.tmp]) await mkdir(path, { recursive: true })
  return { folder, paths, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }) }
}

/** Does what the daemon does with a prepared runtime, on the bare host: files, process, ready line. */
export async function runRuntime(prepared: PreparedRuntime, paths: MachinePaths, token: string) {
  await placeFiles(prepared.files)
  const [command = '', ...args] = prepared.process.argv
  const child = spawn(command, args, {
    cwd: paths.workspace,
    // No proxy and no way out is set up here: what the runtime tries to fetch would show in its log.
    env: { PATH: process.env.PATH, HOME: paths.home, SVC_TOKEN: token, ...prepared.process.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const output: string[] = []
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    const read = (line: string) => {
      output.push(line)
      if (line.includes(prepared.process.readyLine)) resolve()
    }
    createInterface({ input: child.stdout }).on('line', read)
    createInterface({ input: child.stderr }).on('line', read)
    void ended.then(() => reject(new Error(`the runtime ended before it was ready:\n${output.join('\n')}`)))
  })
  return {
    send: transportTo(paths.port),
    pid: child.pid,
    output,
    async stop() {
      // The whole group: a runtime leaves children behind when it alone is ended.
      if (child.pid !== undefined) signal(-child.pid, 'SIGKILL')
      await ended
    },
  }
}

export async function placeFiles(files: PreparedRuntime['files']): Promise<void> {
  for (const { path, content, mode } of files) {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content, { mode })
  }
}

export function transportTo(port: number): RuntimeTransport {
  return async ({ method, path, body, signal }) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(signal === undefined ? {} : { signal }),
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
    return {
      status: response.status,
      body: response.body ? Readable.fromWeb(response.body as never) : Readable.from([]),
    }
  }
}

export const testInput = (gatewayUrl: string): RuntimeInput => ({
  agentName: 'svc',
  compiled: undefined,
  model: 'svc/scripted',
  gatewayUrl,
  models: [
    {
      id: 'scripted',
      name: 'Scripted model (no AI)',
      contextTokens: 128_000,
      outputTokens: 16_000,
      inputPrice: 0,
      outputPrice: 0,
      acceptsImages: false,
    },
  ],
  skillsPath: undefined,
  asksQuestions: true,
})

/** Collects a runtime's events, from before this resolves until it is stopped. */
export async function watchRuntime(runtime: AgentRuntime, send: RuntimeTransport) {
  let connected: (() => void) | undefined
  const isConnected = new Promise<void>((resolve) => {
    connected = resolve
  })
  const announce: RuntimeTransport = async (request) => {
    const response = await send(request)
    connected?.()
    return response
  }
  const seen: { type: string; properties: Readonly<Record<string, unknown>> }[] = []
  const gone = new AbortController()
  const waiting: { test: () => boolean; resolve: () => void }[] = []
  const reading = (async () => {
    for await (const event of runtime.events(announce, gone.signal)) {
      seen.push(event)
      for (const { test, resolve } of waiting) if (test()) resolve()
    }
  })().catch((error: unknown) => {
    // Ended by us, or by a runtime that was stopped.
    if (!gone.signal.aborted) throw error
  })
  await isConnected
  const until = (test: () => boolean) =>
    test() ? Promise.resolve() : new Promise<void>((resolve) => void waiting.push({ test, resolve }))
  return {
    seen,
    until,
    idle: (times = 1) => until(() => seen.filter(({ type }) => type === 'session.idle').length >= times),
    saw: (type: string) => until(() => seen.some((event) => event.type === type)),
    async stop() {
      gone.abort()
      await reading
    },
  }
}
