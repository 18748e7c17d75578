import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOutbound } from '../../../kernel/outbound/index.ts'
import { startFakeCatalog } from '../../testing/fake-catalog.ts'
import { type CatalogPlace, fetchDocument } from './fetch-document.ts'
import { maxEntries, readDocument } from './read-document.ts'

const good = { id: 'm', name: 'M', limit: { context: 1_000, output: 100 }, cost: { input: 1, output: 2 } }
const provider = (models: Record<string, unknown>) => ({ one: { id: 'one', name: 'One', models } })
const limits = { timeoutMs: 10_000, maxBytes: 1024 * 1024 }

describe('a catalog that is fetched', () => {
  let source: Awaited<ReturnType<typeof startFakeCatalog>>
  const outbound = createOutbound()
  beforeAll(async () => {
    source = await startFakeCatalog()
  })
  afterAll(async () => {
    await source.stop()
    await outbound.stop()
  })
  const place = (url = source.url): CatalogPlace => ({
    config: { modelCatalogUrl: url, allowPrivateHosts: [] },
    outbound,
  })

  test('may lie where the operator says, inside too', async () => {
    source.serve(provider({ m: good }))
    expect((await fetchDocument(place(), limits)).entries).toHaveLength(1)
  })

  test.each([
    ['a page', '<!doctype html><h1>Sign in to this network</h1>', /no JSON/],
    ['half of it', JSON.stringify(provider({ m: good })).slice(0, 40), /no JSON, or not all/],
    ['a list', [], /no JSON object/],
    ['nothing', {}, /no model/],
    ['an error', { error: { message: 'over quota' } }, /no model/],
    ['nonsense', provider({ m: good, n: { cost: { input: -1, output: 1 } }, o: 7 }), /Most of its entries|most of its/],
  ])('is refused with a reason when it is %s', async (_what, document, why) => {
    source.serve(document)
    await expect(fetchDocument(place(), limits)).rejects.toMatchObject({ code: 'catalog_unusable', message: why })
  })

  test('is refused when the place answers with an error', async () => {
    source.answerWith((outgoing) => void outgoing.writeHead(503).end('{}'))
    await expect(fetchDocument(place(), limits)).rejects.toMatchObject({
      code: 'catalog_unusable',
      message: expect.stringContaining('status 503'),
    })
  })

  test('is not read beyond its limit, however much comes', async () => {
    const whole = 200 * 1024 * 1024
    const chunk = Buffer.alloc(64 * 1024, 0x20)
    let sent = 0
    const cut = new Promise<void>((resolve) => {
      source.answerWith((outgoing) => {
        outgoing.on('close', resolve)
        const push = () => {
          while (sent < whole && !outgoing.destroyed) {
            sent += chunk.length
            if (!outgoing.write(chunk)) return void outgoing.once('drain', push)
          }
          outgoing.end()
        }
        push()
      })
    })
    await expect(fetchDocument(place(), limits)).rejects.toMatchObject({
      code: 'catalog_unusable',
      message: expect.stringContaining('larger than 1 MiB'),
    })
    await cut
    expect(sent).toBeLessThan(whole / 4)
  })

  test('that ends in the middle, never answers, or is not there cannot be reached', async () => {
    source.answerWith((outgoing) => {
      outgoing.writeHead(200, { 'content-length': 1_000 })
      outgoing.write('{"one":', () => outgoing.destroy())
    })
    await expect(fetchDocument(place(), limits)).rejects.toMatchObject({ code: 'catalog_unreachable' })
    source.answerWith(() => undefined)
    await expect(fetchDocument(place(), { ...limits, timeoutMs: 50 })).rejects.toMatchObject({
      code: 'catalog_unreachable',
      message: expect.stringContaining('did not answer within'),
    })
    await expect(fetchDocument(place('http://127.0.0.1:1/'), limits)).rejects.toMatchObject({
      code: 'catalog_unreachable',
      next: expect.stringContaining('bundled snapshot'),
    })
  })

  test.each([
    'http://10.1.2.3/api.json',
    'http://169.254.169.254/latest',
    'http://127.0.0.1:22/',
    '/api.json',
    'file:///etc/passwd',
  ])('does not follow the place to %s', async (location) => {
    source.answerWith((outgoing) => void outgoing.writeHead(302, { location }).end())
    await expect(fetchDocument(place(), limits)).rejects.toMatchObject({ status: 502 })
  })
})

describe('what a document says', () => {
  const read = async (document: unknown) => {
    const found = await readDocument(document)
    if (typeof found === 'string') throw new Error(found)
    return found
  }

  test('is read entry by entry: a bad one is left out and counted, what nobody knows is passed over', async () => {
    const broken = {
      negative: { cost: { input: -1, output: 1 } },
      huge: { cost: { input: 1e9, output: 1 } },
      'half a price': { cost: { input: 1, output: 1 } },
      text: { cost: { input: '1', output: 1 } },
      endless: { limit: { context: 1e300 } },
      list: [],
    }
    const fine = {
      a: good,
      h: good,
      i: good,
      b: { ...good, invented: { deep: true }, knowledge: 7 },
      c: {},
      d: good,
      e: good,
      f: good,
      g: good,
    }
    const document = { ...provider({ ...fine, ...broken }), _meta: 'x', two: { models: null } }
    const { entries, leftOut } = await read(document)
    expect(entries.map(({ model }) => model)).toEqual(Object.keys(fine))
    expect(leftOut.map(({ entry }) => entry).sort()).toEqual(
      [...Object.keys(broken).map((name) => `one/${name}`), '_meta', 'two'].sort(),
    )
    expect(entries.find(({ model }) => model === 'b')?.facts).toEqual({
      name: 'M',
      limit: { context: 1_000, output: 100 },
    })
  })

  test('has prices with tiers, in the old spelling and the new', async () => {
    const tier = { input: 4, output: 12 }
    const { entries } = await read(
      provider({
        old: { cost: { input: 2, output: 6, context_over_200k: tier } },
        new: { cost: { input: 2, output: 6, tiers: [{ ...tier, tier: { type: 'context', size: 128_000 } }] } },
      }),
    )
    expect(entries.map(({ price }) => price?.tiers)).toEqual([
      [{ ...tier, above: 200_000 }],
      [{ ...tier, above: 128_000 }],
    ])
  })

  test('is refused as a whole when there is too much of it', async () => {
    const many = Object.fromEntries(Array.from({ length: maxEntries + 1 }, (_, at) => [`m${at}`, {}]))
    expect(await readDocument(provider(many))).toContain(String(maxEntries))
  })
})
