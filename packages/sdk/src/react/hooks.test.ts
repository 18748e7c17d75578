import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement } from 'react'
import { act, create, type ReactTestRenderer } from 'react-test-renderer'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { configureSvc } from '../config/platform-config.ts'
import * as hooks from '../react.ts'
import { answerJson, startProtocolServer } from '../server/testing/protocol-server.ts'
import { classifyPart } from '../turns/classify-part.ts'
import { invalidatePermissionProbes, useCan, useCans } from './use-can.ts'
import { useChangeRequests } from './use-change-requests.ts'
import { renderParts } from './use-chat-turns.ts'
import { useFeatureFlag, useVisibleAgents } from './use-projects.ts'

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true, IS_REACT_NATIVE_TEST_ENVIRONMENT: true })

let server: Awaited<ReturnType<typeof startProtocolServer>>
let answers: Record<string, unknown> = {}
/** Where the page after an answer begins. */
let next: Record<string, string> = {}
const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } })
const mounted: ReactTestRenderer[] = []

beforeEach(async () => {
  answers = {}
  next = {}
  server = await startProtocolServer(({ method, url }, response) => {
    const asked = `${method} ${url.slice(4)}`
    const answer = answers[asked]
    if (next[asked]) response.setHeader('x-next-cursor', next[asked])
    answerJson(response, answer === undefined ? 404 : 200, answer ?? { error: 'Not found' })
  })
  configureSvc({ backendUrl: server.url, getToken: async () => 't' })
})
afterEach(async () => {
  for (const tree of mounted.splice(0)) await act(async () => tree.unmount())
  queries.clear()
  await server.stop()
})

/** Renders a hook; `seen()` is its latest result. */
async function mount<T>(hook: () => T): Promise<() => T> {
  let latest: { value: T } | undefined
  const Host = () => {
    latest = { value: hook() }
    return null
  }
  await act(async () => {
    mounted.push(create(createElement(QueryClientProvider, { client: queries }, createElement(Host))))
  })
  return () => {
    if (!latest) throw new Error('the hook did not run')
    return latest.value
  }
}

const settle = (check: () => void) =>
  vi.waitFor(async () => {
    await act(async () => new Promise((resolve) => setTimeout(resolve, 5)))
    check()
  }, 60_000)

const paths = () => server.seen.map(({ method, url }) => `${method} ${url.slice(4)}`)

describe('queries', () => {
  test('every hook stays disabled without an id', async () => {
    await mount(() => [
      hooks.useAccount(null),
      hooks.useAccountMembers(undefined),
      hooks.useAccountTokens(null),
      hooks.useAuditLog(null),
      hooks.useProject(null),
      hooks.useProjectConfig(undefined),
      hooks.useProjectFiles(null),
      hooks.useProjectFile('p', null),
      hooks.useProjectAccess(null),
      hooks.useProjectTokens(null),
      hooks.useProjectSecrets(null),
      hooks.useChangeRequests(null),
      hooks.useModelAccess(null),
      hooks.useModelDefaults(undefined),
      hooks.useGatewayRoutingPolicy(null),
      hooks.useProjectModels(null),
      hooks.useCan('x', { accountId: null }),
    ])
    await settle(() => expect(paths()).toEqual([]))
  })

  test('a change reads again what it made stale, and nothing else', async () => {
    answers['GET projects/p/change-requests?status=open'] = { change_requests: [{ cr_id: 'c' }] }
    answers['POST projects/p/change-requests/c/merge'] = { merge: {} }
    answers['GET projects/p'] = { experimental: { apps: true, email: 'yes' } }
    answers['GET accounts'] = []
    const seen = await mount(() => ({
      requests: useChangeRequests('p', 'open'),
      apps: useFeatureFlag('p', 'apps'),
      email: useFeatureFlag('p', 'email'),
      accounts: hooks.useAccounts(),
    }))
    await settle(() => expect(seen().requests.data?.change_requests).toHaveLength(1))
    await settle(() => expect(seen().apps.enabled).toBe(true))
    expect(seen().email.enabled).toBe(false)
    server.seen.length = 0
    await act(async () => {
      await seen().requests.merge.mutateAsync({ crId: 'c' })
    })
    await settle(() =>
      expect(paths().sort()).toEqual([
        'GET projects/p',
        'GET projects/p/change-requests?status=open',
        'POST projects/p/change-requests/c/merge',
      ]),
    )
  })

  test('a list in pages is one list, which grows as far as the service has more', async () => {
    answers['GET operator/users'] = { users: [{ user_id: 'a' }, { user_id: 'b' }] }
    next['GET operator/users'] = 'b'
    answers['GET operator/users?cursor=b'] = { users: [{ user_id: 'c' }] }
    const seen = await mount(() => hooks.useOperatorUsers())
    await settle(() => expect(seen().data?.users).toHaveLength(2))
    expect(seen().hasNextPage).toBe(true)
    await act(async () => void (await seen().fetchNextPage()))
    await settle(() => expect(seen().data?.users.map(({ user_id }) => user_id)).toEqual(['a', 'b', 'c']))
    expect(seen().hasNextPage).toBe(false)
    expect(paths()).toEqual(['GET operator/users', 'GET operator/users?cursor=b'])
  })

  test('projects and change requests go on where their first page ended', async () => {
    answers['GET projects?account_id=a'] = [{ project_id: '1' }]
    answers['GET projects?account_id=a&cursor=1'] = [{ project_id: '2' }]
    next['GET projects?account_id=a'] = '1'
    answers['GET projects/p/change-requests?status=open'] = { change_requests: [{ cr_id: '9' }] }
    answers['GET projects/p/change-requests?status=open&cursor=9'] = { change_requests: [{ cr_id: '8' }] }
    next['GET projects/p/change-requests?status=open'] = '9'
    const seen = await mount(() => [hooks.useProjects('a'), useChangeRequests('p', 'open')] as const)
    await settle(() => expect(seen().map(({ hasNextPage }) => hasNextPage)).toEqual([true, true]))
    await act(async () => void (await Promise.all(seen().map(({ fetchNextPage }) => fetchNextPage()))))
    await settle(() => expect(seen().map(({ hasNextPage }) => hasNextPage)).toEqual([false, false]))
    const [projects, requests] = seen()
    expect(projects.data?.map(({ project_id }) => project_id)).toEqual(['1', '2'])
    expect(requests.data?.change_requests.map(({ cr_id }) => cr_id)).toEqual(['9', '8'])
  })

  test('model access shows what the service confirmed, and the models are read again with it', async () => {
    const before = { disabledProviders: [], disabledModels: [], defaultModel: 'acme/large', enforced: true }
    answers['GET projects/p/model-access'] = before
    answers['GET projects/p/model-picker'] = { models: {} }
    answers['PUT projects/p/model-access'] = { ...before, disabledProviders: ['acme'] }
    const seen = await mount(() => ({ access: hooks.useModelAccess('p'), models: hooks.useProjectModels('p') }))
    await settle(() => expect(seen().access).toMatchObject({ data: before, defaultProvider: 'acme', isLoading: false }))
    server.seen.length = 0
    answers['GET projects/p/model-access'] = { ...before, disabledProviders: ['acme'] }
    await act(async () => void (await seen().access.setEnabled({ target: 'provider', id: 'acme', enabled: false })))
    await settle(() => expect(seen().access.data?.disabledProviders).toEqual(['acme']))
    expect(paths().sort()).toEqual([
      'GET projects/p/model-access',
      'GET projects/p/model-picker',
      'PUT projects/p/model-access',
    ])
  })

  test('a refused change of model access leaves the policy as it was', async () => {
    const policy = { disabledProviders: [], disabledModels: [], enforced: true }
    answers['GET projects/p2/model-access'] = policy
    const seen = await mount(() => hooks.useModelAccess('p2'))
    await settle(() => expect(seen().data).toEqual(policy))
    await act(() => expect(seen().setEnabled({ target: 'model', id: 'x', enabled: false })).rejects.toThrow())
    await settle(() => expect(seen()).toMatchObject({ data: policy, isUpdating: false }))
    expect(seen().error).not.toBeNull()
  })

  test('only agents that a person may pick are visible', async () => {
    const agents = [
      { name: 'main', mode: 'primary' },
      { name: 'sub', mode: 'subagent' },
      { name: 'off', mode: null, enabled: false },
    ]
    answers['GET projects/p/detail'] = { config: { agents } }
    const seen = await mount(() => useVisibleAgents({ projectId: 'p' }))
    expect(seen()).toEqual([])
    await settle(() => expect(seen().map(({ name }) => name)).toEqual(['main']))
  })

  test('a change without an id is refused before anything is sent', async () => {
    const seen = await mount(() => useChangeRequests(null))
    await act(() => expect(seen().close.mutateAsync({ crId: 'c' })).rejects.toThrow('needs an id'))
    expect(paths()).toEqual([])
  })
})

describe('permissions', () => {
  test('questions of one moment travel together, and unknown reads as no', async () => {
    const verdict = (allowed: boolean) => ({ allowed, reason: allowed ? 'You own it.' : 'No.', decided_by: {} })
    answers['POST accounts/a/iam/explain'] = { results: [verdict(true), verdict(false), verdict(true)] }
    const seen = await mount(() => [
      ...useCans([
        { action: 'x', accountId: 'a' },
        { action: 'y', accountId: 'a', projectId: 'p' },
      ]),
      useCan('z', { accountId: 'a' }),
      useCan('z', { accountId: 'b' }),
    ])
    expect(seen().map(({ allowed, isLoading }) => allowed || !isLoading)).toEqual([false, false, false, false])
    await settle(() => expect(seen().map(({ allowed }) => allowed)).toEqual([true, false, true, false]))
    await settle(() => expect(seen()[3]).toMatchObject({ allowed: false, isError: true }))
    expect(seen()[0]?.reason).toBe('You own it.')
    expect(paths().filter((path) => path.includes('/a/'))).toHaveLength(1)
    await act(() => invalidatePermissionProbes(queries))
    await settle(() => expect(paths().filter((path) => path.includes('/a/'))).toHaveLength(2))
  })
})

describe('parts', () => {
  test('are rendered by kind, synthetic text left out, the fallback for what is missing', () => {
    const parts = [
      { type: 'text', id: '1', text: 'hi' },
      { type: 'text', id: '2', text: 'x', synthetic: true },
      { type: 'hologram', id: '3' },
    ].map((part) => classifyPart(part))
    const none = () => ''
    const kinds = [
      'text',
      'reasoning',
      'tool',
      'file',
      'subtask',
      'patch',
      'snapshot',
      'agent',
      'retry',
      'compaction',
      'step',
      'unknown',
    ]
    const all = {
      text: none,
      reasoning: none,
      tool: none,
      file: none,
      subtask: none,
      patch: none,
      snapshot: none,
      agent: none,
      retry: none,
      compaction: none,
      step: none,
      unknown: none,
    }
    expect(Object.keys(all)).toEqual(kinds)
    expect(renderParts(parts, { ...all, text: ({ text }) => text, unknown: () => '?' })).toEqual(['hi', '?'])
    const { unknown: _missing, ...some } = all
    const partial: Record<string, unknown> = { ...some, fallback: () => 'fallback' }
    expect(renderParts(parts, Object.assign({}, all, { unknown: undefined }, partial))).toEqual(['', 'fallback'])
    expect(() => renderParts(parts, Object.assign({}, all, { unknown: undefined }))).toThrow(
      'no renderer for "unknown"',
    )
  })
})
