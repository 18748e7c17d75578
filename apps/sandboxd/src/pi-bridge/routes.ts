import { readJson } from '../http/read-body.ts'
import { sendJson } from '../http/reply.ts'
import type { Call, Route } from '../http/route.ts'
import { type Bridge, bridgeVersion } from './bridge.ts'
import { describeAgent, describeProviders } from './describe-settings.ts'
import { notFound, notSupported } from './not-supported.ts'
import { readPrompt } from './read-prompt.ts'

const promptBytes = 32 * 1024 * 1024

/** The routes of an agent runtime, as far as pi can serve them. */
export function bridgeRoutes(bridge: Bridge): Route[] {
  const { settings } = bridge
  const json = (method: string, path: string, answer: (call: Call) => unknown): Route => ({
    method,
    path,
    access: 'open',
    handle: async (call) => sendJson(call.response, 200, await answer(call)),
  })
  const lacks = (method: string, path: string, what: string): Route => ({
    method,
    path,
    access: 'open',
    handle: () => {
      throw notSupported(`The runtime pi has no ${what}.`)
    },
  })
  const of = ({ params }: Call) => bridge.find(params.id)

  return [
    json('GET', '/global/health', () => ({ healthy: true, version: bridgeVersion })),
    json('POST', '/global/dispose', () => {
      bridge.dispose()
      return true
    }),
    { method: 'GET', path: '/event', access: 'open', handle: ({ response }) => bridge.hub.serve(response) },
    {
      method: 'GET',
      path: '/global/event',
      access: 'open',
      handle: ({ response }) => bridge.hub.serve(response, settings.workspace),
    },

    json('GET', '/session', () =>
      bridge
        .list()
        .map(({ info }) => info)
        .reverse(),
    ),
    json('POST', '/session', async ({ request }) => {
      const { title, parentID } = await readJson(request)
      if (parentID !== undefined) throw notSupported('The runtime pi has no conversations below others.')
      return bridge.create(typeof title === 'string' ? title : undefined).info
    }),
    json('GET', '/session/status', () =>
      Object.fromEntries(
        bridge
          .list()
          .filter(({ status }) => status.type !== 'idle')
          .map(({ info, status }) => [info.id, status]),
      ),
    ),
    json('GET', '/session/:id', (call) => of(call).info),
    json('PATCH', '/session/:id', async (call) => {
      const { title } = await readJson(call.request)
      return of(call).change(typeof title === 'string' ? { title } : {})
    }),
    json('DELETE', '/session/:id', ({ params }) => {
      bridge.remove(params.id ?? '')
      return true
    }),
    json('GET', '/session/:id/children', (call) => of(call) && []),
    json('GET', '/session/:id/todo', (call) => of(call) && []),
    json('GET', '/session/:id/message', (call) => page(of(call).messages, call.url.searchParams)),
    json('GET', '/session/:id/message/:messageId', (call) => {
      const message = of(call).messages.find(({ info }) => info.id === call.params.messageId)
      if (!message) throw notFound(`There is no message ${call.params.messageId}.`)
      return message
    }),
    json('POST', '/session/:id/message', async (call) =>
      of(call).promptAndWait(readPrompt(await readJson(call.request, promptBytes), settings)),
    ),
    {
      method: 'POST',
      path: '/session/:id/prompt_async',
      access: 'open',
      handle: async (call) => {
        await of(call).prompt(readPrompt(await readJson(call.request, promptBytes), settings))
        call.response.writeHead(204).end()
      },
    },
    json('POST', '/session/:id/abort', async (call) => {
      await of(call).abort()
      return true
    }),
    json('POST', '/session/:id/summarize', async (call) => {
      await of(call).compact()
      return true
    }),
    lacks('GET', '/session/:id/diff', 'record of changed files'),
    lacks('POST', '/session/:id/revert', 'way back to an earlier message'),
    lacks('POST', '/session/:id/unrevert', 'way back to an earlier message'),
    lacks('POST', '/session/:id/fork', 'branches of a conversation'),
    lacks('POST', '/session/:id/command', 'commands of the repository'),
    lacks('POST', '/session/:id/shell', 'shell of its own'),

    json('GET', '/question', () => bridge.list().flatMap(({ asks }) => asks.list())),
    json('POST', '/question/:id/reply', async ({ params, request }) => {
      const { answers } = await readJson(request)
      return answered(bridge.list().some(({ asks }) => asks.reply(params.id ?? '', readAnswers(answers))))
    }),
    json('POST', '/question/:id/reject', ({ params }) =>
      answered(bridge.list().some(({ asks }) => asks.reject(params.id ?? ''))),
    ),
    json('GET', '/permission', () => []),
    lacks('POST', '/permission/:id/reply', 'permission requests'),

    json('GET', '/agent', () => [describeAgent(settings)]),
    json('GET', '/config', () => ({ model: `${settings.model.providerID}/${settings.model.modelID}` })),
    json('GET', '/config/providers', () => describeProviders(settings)),
    json('GET', '/provider', () => {
      const { providers, default: chosen } = describeProviders(settings)
      return { all: providers, default: chosen, connected: providers.map(({ id }) => id) }
    }),
    json('GET', '/project/current', () => ({ id: 'workspace', worktree: settings.workspace })),
    json('GET', '/path', () => ({ directory: settings.workspace, worktree: settings.workspace })),
    json('GET', '/command', () => []),
    json('GET', '/mcp', () => ({})),
  ]
}

/** Routes of the dialect that are nowhere above. */
export const fallback: Route = {
  method: '*',
  path: '/*',
  access: 'open',
  handle: ({ request, url }) => {
    throw notSupported(`The runtime pi has no ${request.method} ${url.pathname}.`)
  },
}

function answered(isKnown: boolean): true {
  if (!isKnown) throw notFound('There is no such question; it may have been answered already.')
  return true
}

function readAnswers(value: unknown): string[][] {
  if (!Array.isArray(value)) return []
  return value.map((labels: unknown) => (Array.isArray(labels) ? labels.map(String) : []))
}

function page<T extends { readonly info: { readonly id: string } }>(
  messages: readonly T[],
  query: URLSearchParams,
): T[] {
  const before = query.get('before')
  const end = before === null ? messages.length : messages.findIndex(({ info }) => info.id === before)
  const limit = Number(query.get('limit') ?? Number.POSITIVE_INFINITY)
  const shown = messages.slice(0, Math.max(0, end))
  return Number.isFinite(limit) && limit > 0 ? shown.slice(-limit) : shown
}
