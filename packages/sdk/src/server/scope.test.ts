import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSvc } from '../client/create-svc.ts'
import { isConfigured, platformConfig } from '../config/platform-config.ts'
import type { SvcConfig } from '../config/svc-config.ts'
import { backendApi } from '../http/backend-api.ts'
import { createScopedSvc } from './create-scoped-svc.ts'
import { getScopedConfig, runWithSvc } from './scope.ts'
import { answerJson, startProtocolServer } from './testing/protocol-server.ts'

/** Answers the token it was sent, after a while that differs from request to request. */
let server: Awaited<ReturnType<typeof startProtocolServer>>
beforeAll(async () => {
  server = await startProtocolServer(async ({ headers }, response) => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 5))
    answerJson(response, 200, { user_id: headers.authorization })
  })
})
afterAll(() => server.stop())

const configOf = (token: string) => ({ backendUrl: server.url, getToken: async () => token })

describe('scopes', () => {
  test('ten thousand interleaved requests with two tokens never cross', async () => {
    /** Answers the token it was sent after a few turns of the event loop, in an order that nobody controls. */
    const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
      for (let turns = Math.random() * 4; turns > 0; turns--) await new Promise((resolve) => setImmediate(resolve))
      return Response.json({ user_id: new Headers(init?.headers).get('authorization') })
    }
    expect(await countCrossings(10_000, (token) => ({ ...configOf(token), fetch }))).toBe(0)
  }, 120_000)

  test('the same over real connections', async () => {
    expect(await countCrossings(process.env.SVC_TEST_LONG === '1' ? 5000 : 500, configOf)).toBe(0)
  }, 120_000)

  test('a scoped client leaves the process-wide config alone, and its handles stay in its scope', async () => {
    createSvc(configOf('process'))
    const scoped = createScopedSvc(configOf('scoped'))
    await scoped.project('p').get()
    expect(server.seen.at(-1)?.headers.authorization).toBe('Bearer scoped')
    await backendApi.get('/x')
    expect(server.seen.at(-1)?.headers.authorization).toBe('Bearer process')
    expect(getScopedConfig()).toBeUndefined()
  })

  test('inside a scope every door uses it, getToken included; outside it is gone', async () => {
    const config = { ...configOf('inner'), getToken: async () => getScopedConfig()?.clientSource ?? 'none' }
    await runWithSvc({ ...config, clientSource: 'cli' }, async () => {
      await backendApi.get('/x')
      expect(platformConfig().clientSource).toBe('cli')
      expect(isConfigured()).toBe(true)
    })
    expect(server.seen.at(-1)?.headers.authorization).toBe('Bearer cli')
    expect(platformConfig().clientSource).toBeUndefined()
  })
})

describe('one process', () => {
  test('a later config re-points every client, except one that kept its own', async () => {
    const first = createSvc(configOf('1'))
    const own = createSvc(configOf('own'), { global: false })
    createSvc(configOf('2'))
    const tokens = await Promise.all([first, own].map((svc) => svc.validateToken()))
    expect(tokens.map(({ identity }) => identity?.user_id)).toEqual(['Bearer 2', 'Bearer own'])
    expect(await first.config.getToken()).toBe('1')
  })
})

/** Sends `requests` in fifty lanes, by turns with one token and the other, and counts answers meant for the other. */
async function countCrossings(requests: number, make: (token: string) => SvcConfig): Promise<number> {
  const clients = ['a', 'b'].map((token) => ({ token, svc: createScopedSvc(make(token)) }))
  let crossed = 0
  const lane = async (start: number): Promise<void> => {
    for (let at = start; at < requests; at += 50) {
      const client = clients[at % 2]
      if (!client) throw new Error('there are two clients')
      const { token, svc } = client
      const ask = async () => (await backendApi.get<{ user_id: string }>('/accounts/me')).data
      const isScope = at % 4 > 1
      const answer = isScope ? await runWithSvc(make(token), ask) : (await svc.validateToken()).identity
      if (answer?.user_id !== `Bearer ${token}`) crossed++
    }
  }
  await Promise.all(Array.from({ length: 50 }, (_, start) => lane(start)))
  return crossed
}
