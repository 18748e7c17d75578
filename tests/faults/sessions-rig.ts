import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectDatabase } from '../../apps/server/src/kernel/database/connect-database.ts'
import { superuser } from '../../apps/server/src/kernel/database/embedded/create-cluster.ts'
import { chooseSocketDirectory, socketPort } from '../../apps/server/src/kernel/database/embedded/layout.ts'
import { layoutOf, placesOf } from '../../apps/server/src/sandboxes/local/layout.ts'
import { listOfMachine } from '../../apps/server/src/sandboxes/local/processes.ts'
import { createPerson, type Person } from '../support/people.ts'
import { databaseProcesses, killQuietly, makePlace } from './database-runner.ts'
import { type RunningPlatform, runPlatform } from './platform-runner.ts'

export type Json = Record<string, unknown>
export type Victim = 'server' | 'runtime' | 'sandboxd' | 'database' | 'tree'

/** A server with its own database and machines, whose processes can be killed one by one. */
export interface FaultRig {
  readonly path: string
  readonly url: () => string
  readonly person: Person
  /** Throws unless it was answered with success. */
  call(route: string, body?: Json): Promise<Json>
  /** The status too, whatever it is; undefined when nobody answered. */
  tryCall(route: string, body?: Json): Promise<{ status: number; body: Json } | undefined>
  /** The content of a file; undefined when there is none. Asks again for as long as nobody can tell. */
  readText(pathOf: () => Promise<string>): Promise<string | undefined>
  query<T>(read: (sql: Awaited<ReturnType<typeof connect>>['sql']) => Promise<T>): Promise<T>
  /**
   * Takes aim at one kind of process; a runtime or a daemon that does not run yet is waited for. The shot is false when the
   * process was gone before.
   */
  aim(victim: Victim, externalIdOf: () => Promise<string | undefined>): Promise<() => Promise<boolean>>
  /** Starts again what does not come back by itself, and waits until the server answers. */
  recover(victim: Victim): Promise<void>
  remove(): Promise<void>
}

export async function startFaultRig(script: string, env: Record<string, string> = {}): Promise<FaultRig> {
  const place = await makePlace()
  const start = () =>
    runPlatform(script, { SVC_DATA_DIR: place.path, SVC_LOG: 'json', SVC_WARM_SANDBOXES: '0', ...env })
  let platform: RunningPlatform = await start()
  let killed = 0
  const query: FaultRig['query'] = async (read) => {
    const database = connect(place.path)
    return read(database.sql).finally(() => database.disconnect())
  }
  const person = await makePerson(place.path)
  const tryCall: FaultRig['tryCall'] = async (route, body) => {
    const [method = 'GET', path = ''] = route.split(' ')
    try {
      const answered = await fetch(`${platform.url}${path}`, {
        method,
        headers: { ...person.headers, 'idempotency-key': randomUUID() },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await answered.text()
      return { status: answered.status, body: text === '' ? {} : JSON.parse(text) }
    } catch {
      // Killed before it answered, which is what this is all about.
      return undefined
    }
  }
  return {
    path: place.path,
    url: () => platform.url,
    person,
    query,
    tryCall,
    async call(route, body) {
      const answered = await tryCall(route, body)
      if (answered && answered.status < 300) return answered.body
      throw new Error(`${route} answered ${answered?.status}: ${JSON.stringify(answered?.body)}`)
    },
    async readText(pathOf) {
      let answered: Awaited<ReturnType<typeof tryCall>>
      await until('a file can be read', 120_000, async () => {
        answered = await tryCall(`GET ${await pathOf()}`)
        return answered?.status === 200 || answered?.status === 404
      }).catch((error) => {
        throw new Error(`${error.message}: ${JSON.stringify(answered)}`)
      })
      return answered?.status === 200 ? String(answered.body.content) : undefined
    },
    async aim(victim, externalIdOf) {
      if (victim === 'runtime' || victim === 'sandboxd') return aimInside(place.path, victim, externalIdOf)
      return async () => {
        if (victim === 'server') await platform.kill()
        else if (victim === 'database') {
          killed = await readPostmasterPid(place.path)
          killQuietly(killed)
        } else await killTree(place.path, platform)
        return true
      }
    },
    async recover(victim) {
      if (victim === 'server' || victim === 'tree') platform = await start()
      // What a killed database left behind may answer for a moment yet, and is gone with the next question.
      if (victim === 'database') {
        await until('a new database', 120_000, async () => {
          const pid = await readPostmasterPid(place.path).catch(() => 0)
          return pid > 0 && pid !== killed
        })
      }
      await until('the server answers', 120_000, async () => (await tryCall('GET /v1/accounts'))?.status === 200)
    },
    async remove() {
      await platform.stop()
      for (const pid of (await listMachineProcesses(place.path)).keys()) killQuietly(pid)
      await place.remove()
    },
  }
}

function connect(path: string) {
  const host = chooseSocketDirectory(join(path, 'postgres'), path)
  return connectDatabase({ host, port: socketPort, user: superuser, database: 'postgres' })
}

async function makePerson(path: string): Promise<Person> {
  const database = connect(path)
  return createPerson({ database, dataDir: path }).finally(() => database.disconnect())
}

async function readPostmasterPid(path: string): Promise<number> {
  return Number((await readFile(join(path, 'postgres', 'data', 'postmaster.pid'), 'utf8')).split('\n')[0])
}

/** Processes inside the machines of a data directory, with the machine of each. */
export async function listMachineProcesses(path: string): Promise<Map<number, string>> {
  const layout = layoutOf(path)
  const found = new Map<number, string>()
  for (const externalId of await readdir(layout.machines).catch((): string[] => [])) {
    for (const pid of await listOfMachine(placesOf(layout, externalId).run)) found.set(pid, externalId)
  }
  return found
}

const marks = { runtime: /opencode\0serve/, sandboxd: /sandboxd\.mjs/ } as const

async function aimInside(
  path: string,
  victim: keyof typeof marks,
  externalIdOf: () => Promise<string | undefined>,
): Promise<() => Promise<boolean>> {
  let pid = 0
  await until(`a process of the ${victim}`, 120_000, async () => {
    const externalId = await externalIdOf()
    const inside = externalId === undefined ? [] : await listOfMachine(placesOf(layoutOf(path), externalId).run)
    for (const one of inside) if (await isA(victim, one)) pid = one
    return pid !== 0
  })
  return async () => {
    if (!(await isA(victim, pid))) return false
    killQuietly(pid)
    return true
  }
}

async function isA(victim: keyof typeof marks, pid: number): Promise<boolean> {
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return marks[victim].test(command) && !/^[^\0]*bwrap\0/.test(command)
}

async function killTree(path: string, platform: RunningPlatform): Promise<void> {
  const others = [...(await databaseProcesses(path)), ...(await listMachineProcesses(path)).keys()]
  const dying = platform.kill()
  for (const pid of others) killQuietly(pid)
  await dying
}

export async function until(what: string, timeoutMs: number, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs / 1000} s: ${what}`)
    await sleep(100)
  }
}

export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}
