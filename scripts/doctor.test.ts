import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { Health } from '../packages/contract/src/system.ts'
import { type DoctorHouse, isLinux, makeSoundHouse, openToDoctor } from './testing/doctor-house.ts'
import { makeHouse } from './testing/make-house.ts'

let house: DoctorHouse
afterEach(() => house.remove())

test('every warning and every fault has a fix, also before anything is installed', () => {
  house = openToDoctor(makeHouse({}, { packages: false }))
  const { code, parts } = house.consult()
  expect(code).toBe(1)
  expect(parts.filter(({ state, fix }) => (state === 'ok') !== (fix === undefined))).toEqual([])
})

test('a part that there is not is refused with the names of those there are', () => {
  house = makeSoundHouse()
  const { code, stdout, stderr } = house.run('doctor.mjs', ['git', 'gti'])
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/^✗ no part is called gti; there are: node, npm, git, .*agent runtimes\n$/)
  expect(house.run('doctor.mjs', ['git']).stdout).toMatch(/^✓ git .*\n\n0 broken, 0 warnings, 1 fine\n$/)
})

test('nothing is broken in a sound house, and warnings do not fail it', () => {
  house = makeSoundHouse()
  const { code, parts, look } = house.consult()
  expect(look('build')?.state).toBe('warning')
  expect(parts.filter(({ state }) => state === 'broken')).toEqual([])
  expect(code).toBe(0)
  expect(house.run('build.mjs').code).toBe(0)
  expect(house.consult({}, ['build']).look('build')?.state).toBe('ok')
})

test('a port that another program holds is broken, one that our server holds is fine', async () => {
  house = makeSoundHouse()
  const stranger = await listen({ hello: 'world' })
  const taken = house.consult({ env: { PORT: String(stranger.port) } }, ['port']).look('port')
  expect(taken).toMatchObject({ state: 'broken', fix: expect.stringContaining(`PORT=${stranger.port + 1} npm start`) })
  if (isLinux) expect(taken?.found).toContain(`taken by process ${stranger.pid} (node)`)
  stranger.end()

  const health = Health.parse({
    status: 'ok',
    live: true,
    ready: true,
    version: '0.1.0',
    uptime_seconds: 60,
    parts: { database: 'ok' },
    details: [{ name: 'database', status: 'ok' }],
  })
  const server = await listen(health)
  expect(house.consult({ env: { PORT: String(server.port) } }, ['port']).look('port')?.found).toContain(
    'our server answers',
  )
  server.end()
})

test('data that a living server uses is not called broken', async () => {
  house = makeSoundHouse()
  writeFileSync(join(house.makeCluster(), 'postmaster.pid'), `${process.pid}\n`)
  house.write('.data/lock/7', '')
  house.write('.data/lock/8', JSON.stringify({ pid: process.pid, startedAt: '1', bootId: 'x' }))
  expect(house.consult({}, ['data lock']).look('data lock')).toEqual({
    part: 'data lock',
    state: 'ok',
    found: `a server (process ${process.pid}) is using the data`,
  })
})

/** A web server in a process of its own: the doctor runs while this one waits for it. */
async function listen(answer: unknown) {
  const port = await findFreePort()
  const code = `require('node:http').createServer((_, r) => r.end(${JSON.stringify(JSON.stringify(answer))})).listen(${port}, '127.0.0.1', () => console.log('up'))`
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return { port, pid: child.pid, end: () => child.kill() }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  if (address === null || typeof address === 'string') throw new Error('the probe socket has no port')
  return address.port
}
