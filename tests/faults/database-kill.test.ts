import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  buildFaultServer,
  databaseProcesses,
  FaultServer,
  killQuietly,
  makePlace,
  removeOldBuilds,
  waitForNoDatabase,
} from './database-runner.ts'

const rounds = process.env.SVC_TEST_LONG === undefined ? 5 : 50
const seed = Number(process.env.SVC_TEST_SEED ?? randomInt(2 ** 31))

let script: string
let place: Awaited<ReturnType<typeof makePlace>>
beforeAll(async () => {
  await removeOldBuilds()
  script = await buildFaultServer()
  place = await makePlace()
})
afterAll(() => place.remove())

describe('kill -9 at random points under write load', () => {
  test(`${rounds} rounds lose no acknowledged write, and every next start serves without help (seed ${seed})`, {
    timeout: 180_000 + rounds * 15_000,
  }, async () => {
    const random = createRandom(seed)
    const acknowledged = new Set<number>()
    // Every kind in every run; the seed decides order and moment.
    const kinds = Array.from({ length: rounds }, (_, round) => kindsOfKill[round % kindsOfKill.length] ?? 'tree')
    for (const kind of shuffle(kinds, random)) {
      const server = new FaultServer(script, place.path, { writers: 4 })
      if (kind === 'starting') {
        await sleep(random() * 1_200)
        await server.kill()
      } else {
        const ready = await server.hear('ready')
        checkNothingLost(ready, acknowledged, kind)
        await server.hear('acknowledged', 1 + Math.floor(random() * 40))
        await sleep(random() * 100)
        await strike(kind, server, ready.postgres)
      }
      for (const id of server.acknowledged()) acknowledged.add(id)
      await waitForNoDatabase(place.path)
    }
    const last = new FaultServer(script, place.path)
    checkNothingLost(await last.hear('ready'), acknowledged, 'the last one')
    expect(await last.kill('SIGTERM')).toBe(0)
    await waitForNoDatabase(place.path)
  })
})

const kindsOfKill = ['server', 'postgres', 'tree', 'backend', 'starting'] as const

async function strike(kind: (typeof kindsOfKill)[number], server: FaultServer, postgres: number): Promise<void> {
  if (kind === 'server') await server.kill()
  if (kind === 'tree') await server.killTree()
  if (kind === 'postgres' || kind === 'backend') {
    // A backend may have ended by itself before it is hit; then another is.
    while (server.said('refused').length === 0) {
      killQuietly(kind === 'postgres' ? postgres : await someBackend(server.path, postgres))
      await Promise.race([server.hear('refused'), sleep(1_000)])
    }
    // The server lives through it and writes again by itself.
    await server.hear('acknowledged', server.acknowledged().length + 20)
    expect(await server.kill('SIGTERM')).toBe(0)
  }
}

async function someBackend(path: string, postgres: number): Promise<number> {
  const others = (await databaseProcesses(path)).filter((pid) => pid !== postgres)
  return others.at(-1) ?? postgres
}

function checkNothingLost(
  ready: { rows: number[]; events: number; jobs: number },
  acknowledged: Set<number>,
  kind: string,
): void {
  const present = new Set(ready.rows)
  const lost = [...acknowledged].filter((id) => !present.has(id))
  expect(lost, `acknowledged but lost before ${kind} (seed ${seed})`).toEqual([])
  expect([ready.events, ready.jobs], `audit events and jobs beside ${present.size} rows (seed ${seed})`).toEqual([
    present.size,
    present.size,
  ])
}

/** mulberry32: small, and the same on every machine. */
function createRandom(start: number): () => number {
  let state = start | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

function shuffle<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
}
