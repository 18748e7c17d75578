import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

/** What a person sees when a start cannot succeed: one sentence, one fix, a non-zero exit, nothing damaged. */

const main = join(import.meta.dirname, '..', '..', 'apps', 'server', 'dist', 'main.mjs')

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-start-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

interface Ended {
  readonly code: number | null
  readonly output: string
}

function start(env: Record<string, string>, stopWhen?: RegExp, signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [main], {
      env: { ...process.env, PORT: '0', SVC_DATA_DIR: join(folder, 'data'), SVC_LOG: 'json', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    const collect = (chunk: Buffer) => {
      output += chunk
      if (stopWhen?.test(output)) child.kill(signal)
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.on('exit', (code) => resolve({ code, output }))
  })
}

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
    const { code, output } = await start({ PORT: String(port) })
    other.close()
    expect(code).toBe(1)
    expect(output).toContain(`✗ Port ${port} on 127.0.0.1 is taken by another program.`)
    const free = Number(/another port: PORT=(\d+) npm start/.exec(output)?.[1])
    expect([free > 0, free === port]).toEqual([true, false])
  })

  test('names an address that is not of this machine', async () => {
    const { code, output } = await start({ HOST: '192.0.2.1' })
    expect(code).toBe(1)
    expect(output).toContain('✗ HOST: 192.0.2.1 is not an address of this machine.')
  })

  test('names a data directory that is a file, and leaves the file alone', async () => {
    await writeFile(join(folder, 'data'), 'mine')
    const { code, output } = await start({})
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

  test('names a master key that fits no key it protects, and stores nothing new', async () => {
    await start({}, /is ready/)
    const foreign = Buffer.alloc(32, 7).toString('base64')
    const { code, output } = await start({ SVC_MASTER_KEY: foreign })
    expect(code).toBe(1)
    expect(output).toMatch(/✗ .*master key/i)
    expect(output).not.toContain(foreign)
    const again = await start({}, /is ready/)
    expect(again.code).toBe(0)
  })

  test('a second instance on one data directory refuses and touches nothing', async () => {
    const child = spawn(process.execPath, [main], {
      env: { ...process.env, PORT: '0', SVC_DATA_DIR: join(folder, 'data') },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await new Promise<void>((resolve) => {
      let output = ''
      child.stdout.on('data', (chunk) => {
        output += chunk
        if (output.includes('is ready')) resolve()
      })
    })
    const { code, output } = await start({})
    expect(code).toBe(1)
    expect(output).toContain(String(child.pid))
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })

  test('a terminal that closes, which sends SIGHUP, ends the server as cleanly as SIGTERM', async () => {
    expect((await start({}, /is ready/, 'SIGHUP')).code).toBe(0)
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
    const { code, output } = await start({})
    await chmod(folder, 0o700)
    expect(code).toBe(1)
    expect(output).toMatch(/✗ .*data/)
  })
})
