import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { systemActor } from '../actor.ts'
import type { Database } from '../database/index.ts'
import { createTestDatabase } from '../database/testing.ts'
import { bundleScript, startScript } from '../jobs/testing/run-script.ts'
import { createLogger, createMemoryWriter } from '../log/index.ts'
import { cleanEventPayloads, defineTopic, type Events, startEvents } from './index.ts'

let database: Database
const writer = createMemoryWriter()
const log = createLogger({ writer })
const open: Events[] = []

async function startNode(): Promise<Events> {
  const node = await startEvents({ sql: database.sql, log })
  open.push(node)
  return node
}

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(async () => {
  await Promise.all(open.map((node) => node.stop()))
  await database.close()
})

/** Events of one connection arrive in order, so when the marker is here, all before it are. */
const marker = defineTopic<{ id: number }>('marker')
let markers = 0
async function settle(node: Events): Promise<void> {
  const id = ++markers
  await new Promise<void>((resolve) => {
    const stop = node.subscribe(marker, (payload) => {
      if (payload.id !== id) return
      stop()
      resolve()
    })
    void node.publish(marker, { id })
  })
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5))
}

const texts = defineTopic<string>('texts')

describe('a publish inside a transaction', () => {
  test('is delivered after the commit, on every node, in order, and never after a rollback', async () => {
    const nodes = [await startNode(), await startNode()]
    database.usePublisher(nodes[0]?.publisher ?? (() => Promise.reject(new Error('no node'))))
    const heard = nodes.map((node) => {
      const list: string[] = []
      node.subscribe(texts, (text) => void list.push(text))
      return list
    })
    await database.transact(systemActor, async (tx) => {
      await tx.publish(texts.event('one'))
      await tx.publish(texts.event('two'))
      await tx.publish(texts.event('two'))
      for (const node of nodes) await settle(node)
      expect(heard).toEqual([[], []])
    })
    await expect(
      database.transact(systemActor, async (tx) => {
        await tx.publish(texts.event('never'))
        throw new Error('changed our mind')
      }),
    ).rejects.toThrow('changed our mind')
    for (const node of nodes) await settle(node)
    await until(() => heard.every((list) => list.length >= 3))
    expect(heard).toEqual([
      ['one', 'two', 'two'],
      ['one', 'two', 'two'],
    ])
  })

  test('carries payloads of any size and content', async () => {
    const node = await startNode()
    const sizes = [0, 1, 7_000, 7_800, 7_850, 7_860, 7_900, 8_000, 8_192, 1_000_000]
    const sent = [...sizes.map((size) => 'x'.repeat(size)), 'é'.repeat(5_000), '\0"\\\n\u2028'.repeat(2_000), '\0']
    const heard: string[] = []
    node.subscribe(texts, (text) => void heard.push(text))
    for (const text of sent) await database.transact(systemActor, (tx) => tx.publish(texts.event(text)))
    await until(() => heard.length === sent.length)
    expect(heard).toEqual(sent)
  })
})

test('processes hear each other', async () => {
  const node = await startNode()
  const other = startScript(await bundleScript(new URL('./testing/publisher.ts', import.meta.url)), {
    url: database.connectionString,
  })
  const numbers: number[] = []
  node.subscribe(defineTopic<{ n: number }>('numbers'), async ({ n }) => {
    numbers.push(n)
    await node.publish(defineTopic<{ n: number }>('echoes'), { n })
  })
  expect(await other.nextMessage()).toBe('ready')
  other.child.send('go')
  expect(await other.nextMessage()).toEqual({ heard: 100 })
  expect(numbers).toEqual(Array.from({ length: 100 }, (_, n) => n))
  other.child.send('end')
  expect(await other.exited).toMatchObject({ code: 0 })
})

describe('a lost connection', () => {
  test('tells every subscriber of the gap, and events flow again afterwards', async () => {
    const node = await startNode()
    const seen: string[] = []
    node.subscribe(texts, (text) => void seen.push(text), { onGap: () => void seen.push('gap') })
    await node.publish(texts, 'before')
    await until(() => seen.includes('before'))
    const mine = open.indexOf(node)
    const cut = await database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'svc events'`
    expect(cut.length).toBeGreaterThan(mine - 1)
    await until(() => seen.includes('gap') && node.isConnected())
    await node.publish(texts, 'after')
    await until(() => seen.includes('after'))
    expect(seen[0]).toBe('before')
    expect(seen.at(-1)).toBe('after')
    expect(seen.slice(1, -1).every((entry) => entry === 'gap')).toBe(true)
  })
})

describe('a subscriber', () => {
  test('that never finishes keeps no other waiting, and is told of a gap when it falls behind', async () => {
    const node = await startNode()
    const slow: string[] = []
    const quick: string[] = []
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    node.subscribe(
      texts,
      async (text) => {
        slow.push(text)
        await held
      },
      { maxWaiting: 10, onGap: () => void slow.push('gap') },
    )
    node.subscribe(texts, (text) => void quick.push(text))
    for (let n = 0; n < 50; n++) await node.publish(texts, `n${n}`)
    await until(() => quick.length === 50)
    expect(slow).toEqual(['n0'])
    release()
    await until(() => slow.length > 1)
    expect(slow[1]).toBe('gap')
  })

  test('that throws is logged and gets the next event all the same', async () => {
    const node = await startNode()
    const heard: string[] = []
    node.subscribe(texts, (text) => {
      heard.push(text)
      if (text === 'bad') throw new Error('handler broke')
    })
    await node.publish(texts, 'bad')
    await node.publish(texts, 'good')
    await until(() => heard.length === 2)
    expect(writer.lines.some((line) => line.includes('handler broke'))).toBe(true)
  })

  test('with a schema never sees a payload that does not fit it', async () => {
    const node = await startNode()
    const loose = defineTopic<unknown>('strict')
    const strict = defineTopic('strict', z.object({ id: z.string() }))
    const heard: unknown[] = []
    node.subscribe(strict, (payload) => void heard.push(payload))
    await node.publish(loose, { id: 5 })
    await node.publish(strict, { id: 'five' })
    await until(() => heard.length > 0)
    expect(heard).toEqual([{ id: 'five' }])
  })

  test('that unsubscribed hears nothing more', async () => {
    const node = await startNode()
    const heard: string[] = []
    const stop = node.subscribe(texts, (text) => void heard.push(text))
    await node.publish(texts, 'x')
    await until(() => heard.length === 1)
    stop()
    await node.publish(texts, 'y')
    await settle(node)
    expect(heard).toEqual(['x'])
  })
})

test('stored payloads are cleaned once they are old, and a reader that is too late is told of a gap', async () => {
  const node = await startNode()
  const seen: string[] = []
  node.subscribe(texts, () => void seen.push('event'), { onGap: () => void seen.push('gap') })
  await database.transact(systemActor, async (tx) => {
    await tx.publish(texts.event('x'.repeat(20_000)))
    await tx.db.execute('delete from svc.event_payloads')
  })
  await until(() => seen.length > 0)
  expect(seen).toEqual(['gap'])
  await node.publish(texts, 'x'.repeat(20_000))
  expect(await cleanEventPayloads(database.sql)).toEqual({ deleted: 0 })
  expect((await cleanEventPayloads(database.sql, -1_000)).deleted).toBeGreaterThan(0)
})
