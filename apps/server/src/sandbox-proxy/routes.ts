import { operations } from '@svc/contract'
import { previewCookie } from '../identity/index.ts'
import { answer, type Call, type Handled, handle, problem } from '../kernel/http/index.ts'
import type { MachineAgents } from './machine-agents.ts'
import { createMachineQuestions } from './machine-questions.ts'
import type { Parts } from './parts.ts'
import { describePublicShare, relayShare, relaySharedFile } from './public-share.ts'
import { relayCall } from './relay-call.ts'
import { createSandboxShare, listSandboxShares, revokeSandboxShare } from './sandbox-shares.ts'

export function proxyRoutes(parts: Parts, agents: MachineAgents): Handled[] {
  const { sandboxProxy } = operations
  const { relayGet, relayPost, relayPut, relayPatch, relayDelete } = sandboxProxy
  const { shareGet, sharePost, sharePut, sharePatch, shareDelete } = sandboxProxy
  const questions = createMachineQuestions(parts.sessions)
  return [
    handle(sandboxProxy.config, () => ({ preview_url_template: parts.hosts.template ?? null })),
    handle(sandboxProxy.signIn, (call) => signIn(parts, call)),
    handle(sandboxProxy.listShares, (call) => listSandboxShares(parts, call)),
    handle(sandboxProxy.createShare, (call) => createSandboxShare(parts, call)),
    handle(sandboxProxy.revokeShare, (call) => revokeSandboxShare(parts, call)),
    handle(sandboxProxy.describeShare, (call) => describePublicShare(parts, call)),
    handle(sandboxProxy.shareFile, (call) => relaySharedFile(parts, agents, call)),
    ...[shareGet, sharePost, sharePut, sharePatch, shareDelete].map((operation) =>
      handle(operation, (call) => relayShare(parts, agents, call)),
    ),
    handle(sandboxProxy.enter, ({ params }) => `/v1/p/${params.sandboxId}/${params.port}/`),
    ...[relayGet, relayPost, relayPut, relayPatch, relayDelete].map((operation) =>
      handle(operation, (call) => relayCall(parts, agents, call, questions.askedFor(call.request)), questions.askAhead),
    ),
  ]
}

const cookieMs = 60 * 60_000
const ticketMs = 60_000

/** Turns the caller's bearer token into what a browser can show when it opens a preview. */
function signIn({ previews, kernel }: Parts, { request }: Call<typeof operations.sandboxProxy.signIn>) {
  const token = /^bearer\s+(\S+)$/i.exec(request.incoming.headers.authorization ?? '')?.[1]
  if (token === undefined) throw problem('unauthorized')
  const nowMs = kernel.clock.nowMs()
  const cookie = previews.seal(token, 'cookie', nowMs + cookieMs)
  const attributes = `Path=/v1/p/; HttpOnly; Secure; SameSite=Lax; Max-Age=${cookieMs / 1000}`
  return answer(
    {
      ok: true as const,
      ticket: previews.seal(token, 'ticket', nowMs + ticketMs),
      expires_at: new Date(nowMs + ticketMs).toISOString(),
    },
    { headers: { 'set-cookie': `${previewCookie}=${cookie}; ${attributes}` } },
  )
}
