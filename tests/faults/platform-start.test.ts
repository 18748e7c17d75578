import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'

/** What a person sees when a start cannot succeed: one sentence, one fix, a non-zero exit, nothing damaged. */

const main = join(import.meta.dirname, '..', '..', 'apps', 'server', 'dist', 'main.mjs')

/** Data that starts may share: making them takes most of a first start. */
let kept: string
beforeAll(async () => {
  kept = await mkdtemp(join(tmpdir(), 'svc-start-'))
})
afterAll(() => rm(kept, { recursive: true, force: true }))
const data = () => ({ SVC_DATA_DIR: join(kept, 'data') })

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-start-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

interface Ended {
  readonly code: number | null
  readonly output: string
}

interface Running {
  readonly pid: number | undefined
  readonly ready: Promise<void>
  readonly ended: Promise<Ended>
  end(signal: NodeJS.Signals): Promise<Ended>
}

/** The platform as a person starts it; `ready` also resolves when it ends before it is. */
function begin(env: Record<string, string> = {}): Running {
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, PORT: '0', SVC_DATA_DIR: join(folder, 'data'), SVC_LOG: 'json', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  // Closed, not just ended: what it said last may still be on its way.
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, output })))
  const ready = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk
        if (output.includes('is ready')) resolve()
      })
    }
    void ended.then(() => resolve())
  })
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return ended
  }
  return { pid: child.pid, ready, ended, end }
}

const start = (env: Record<string, string> = {}): Promise<Ended> => begin(env).ended

describe('a start that cannot succeed', () => {
  test('names a bad setting, its problem and an example', async () => {
    const { code, output } = await start({ PORT: 'http' })
    expect(code).toBe(1)
    expect(output).toContain('✗ PORT: "http" must be a port number from 0 to 65535.')
    expect(output).toContain('Set PORT, for example: PORT=8008')
  })

  test('names a port that is taken and another way', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const address = other.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const { code, output } = await start({ PORT: String(port), ...data() })
    other.close()
    expect(code).toBe(1)
    expect(output).toContain(`✗ Port ${port} on 127.0.0.1 is taken by another program.`)
    const free = Number(/another port: PORT=(\d+) npm start/.exec(output)?.[1])
    expect([free > 0, free === port]).toEqual([true, false])
  })

  test('names an address that is not of this machine', async () => {
    const { code, output } = await start({ HOST: '192.0.2.1', ...data() })
    expect(code).toBe(1)
    expect(output).toContain('✗ HOST: 192.0.2.1 is not an address of this machine.')
  })

  test('names a data directory that is a file, and leaves the file alone', async () => {
    await writeFile(join(folder, 'data'), 'mine')
    const { code, output } = await start()
    expect(code).toBe(1)
    expect(output).toMatch(/✗ .*data/)
    expect(await readdir(folder)).toEqual(['data'])
  })

  test('names a database that does not answer, without its password', async () => {
    const { code, output } = await start({ DATABASE_URL: 'postgres://svc:hunter2@127.0.0.1:1/svc' })
    expect(code).toBe(1)
    expect(output).toContain('does not answer')
    expect(output).not.toContain('hunter2')
  })

  test('a second instance on one data directory and a foreign master key are refused, and touch nothing', async () => {
    const first = begin(data())
    await first.ready
    const second = await start(data())
    expect(second.code).toBe(1)
    expect(second.output).toContain(String(first.pid))
    expect((await first.end('SIGTERM')).code).toBe(0)

    const foreign = Buffer.alloc(32, 7).toString('base64')
    const { code, output } = await start({ SVC_MASTER_KEY: foreign, ...data() })
    expect(code).toBe(1)
    expect(output).toMatch(/✗ .*master key/i)
    expect(output).not.toContain(foreign)

    // Its own key opens it still; and a terminal that closes, which sends SIGHUP, ends it as cleanly as SIGTERM.
    const again = begin(data())
    await again.ready
    expect((await again.end('SIGHUP')).code).toBe(0)
  })

  test('a data directory that nobody may write is named', async () => {
    // Root may write anywhere but to a read-only place; /proc is one on every Linux.
    if (process.getuid?.() === 0) {
      const { code, output } = await start({ SVC_DATA_DIR: '/proc/svc' })
      expect(code).toBe(1)
      expect(output).toMatch(/✗ .*\/proc\/svc/)
      return
    }
    await chmod(folder, 0o500)
    const { code, output } = await start()
    await chmod(folder, 0o700)
    expect(code).toBe(1)
    expect(output).toMatch(/✗ .*data/)
  })
})
