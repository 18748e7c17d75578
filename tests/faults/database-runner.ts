import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'tsdown'
import { findOrphans } from '../../apps/server/src/kernel/database/embedded/leftovers.ts'
import type { Line } from './database-server.ts'

/** Beside the server's own dependencies and migrations, like its `dist`. */
const buildsFolder = fileURLToPath(new URL('../../apps/server/node_modules/.cache/fault-server', import.meta.url))

/** Builds the server from the sources once for a test file, into a folder that goes when the file's process goes. */
export async function buildFaultServer(): Promise<string> {
  const folder = join(buildsFolder, String(process.pid))
  await build({
    config: false,
    entry: { server: fileURLToPath(new URL('./database-server.ts', import.meta.url)) },
    outDir: folder,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    dts: false,
    clean: false,
    logLevel: 'error',
  })
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'server.mjs')
}

export interface RunOptions {
  readonly writers?: number
  readonly env?: Record<string, string>
  readonly uid?: number
}

/** One running server and all it has said. */
export class FaultServer {
  readonly lines: Line[] = []
  readonly path: string
  readonly child: ChildProcess
  readonly exited: Promise<number | string>
  errors = ''
  #wake: (() => void)[] = []

  constructor(script: string, path: string, options: RunOptions = {}) {
    this.path = path
    this.child = spawn(process.execPath, [script, path, String(options.writers ?? 0)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      env: { PATH: process.env.PATH, ...options.env },
      ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
    })
    const { stdout, stderr } = this.child
    if (stdout === null || stderr === null) throw new Error('no pipes')
    createInterface({ input: stdout }).on('line', (line) => {
      this.lines.push(JSON.parse(line))
      this.#notify()
    })
    stderr.on('data', (chunk: Buffer) => {
      this.errors += chunk.toString()
    })
    this.exited = new Promise((resolve) => {
      this.child.once('close', (code, signal) => {
        resolve(code ?? signal ?? 'unknown')
        this.#notify()
      })
    })
  }

  /** Resolves with the first such line, also one said before. Fails when the server ends without it. */
  async hear<Is extends Line['is']>(is: Is, count = 1): Promise<Extract<Line, { is: Is }>> {
    for (;;) {
      const found = this.said(is)
      const line = found[count - 1]
      if (line !== undefined) return line
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        throw new Error(`The server ended (${await this.exited}) without saying ${is}: ${this.errors}`)
      }
      await new Promise<void>((resolve) => this.#wake.push(resolve))
    }
  }

  said<Is extends Line['is']>(is: Is): Extract<Line, { is: Is }>[] {
    return this.lines.filter((line): line is Extract<Line, { is: Is }> => line.is === is)
  }

  acknowledged(): number[] {
    return this.said('acknowledged').map(({ id }) => id)
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | string> {
    this.child.kill(signal)
    return this.exited
  }

  /** The server and every PostgreSQL process, at once. */
  async killTree(): Promise<void> {
    this.child.kill('SIGSTOP')
    for (const pid of await databaseProcesses(this.path)) killQuietly(pid)
    await this.kill()
  }

  #notify(): void {
    for (const wake of this.#wake.splice(0)) wake()
  }
}

export function databaseProcesses(path: string): Promise<number[]> {
  return findOrphans(join(path, 'postgres', 'data'))
}

/** Fails after a generous while; what is promised is that they go, not how fast. */
export async function waitForNoDatabase(path: string): Promise<void> {
  for (let tries = 0; tries < 5_000; tries++) {
    if ((await databaseProcesses(path)).length === 0) return
    await sleep(20)
  }
  throw new Error(`PostgreSQL processes are left: ${await databaseProcesses(path)}`)
}

export function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    // It ended between being listed and being killed.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

/** A folder for one test, removed afterwards together with any process a failed test left in it. */
export async function makePlace(): Promise<{ path: string; remove(): Promise<void> }> {
  const parent = await mkdtemp(join(tmpdir(), 'svc-fault-'))
  await chmod(parent, 0o755)
  const path = join(parent, 'data')
  return {
    path,
    async remove() {
      for (const pid of await databaseProcesses(path)) killQuietly(pid)
      await waitForNoDatabase(path)
      await rm(parent, { recursive: true, force: true })
    },
  }
}

/** A data directory that was started and stopped once, to copy: that is many times faster than making another. */
export async function makeTemplate(script: string): Promise<{ copyTo(path: string): void; remove(): Promise<void> }> {
  const place = await makePlace()
  const server = new FaultServer(script, place.path)
  await server.hear('ready')
  await server.kill('SIGTERM')
  return {
    // With owners and times, which Node's own copy does not keep.
    copyTo: (path) => execFileSync('cp', ['-a', place.path, path]),
    remove: place.remove,
  }
}

/** Builds of test runs that were killed. */
export async function removeOldBuilds(folder = buildsFolder): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const name of await readdir(folder)) {
    try {
      process.kill(Number(name), 0)
    } catch {
      // No such process: its folder is nobody's.
      await rm(join(folder, name), { recursive: true, force: true })
    }
  }
}
