import type { operations } from '@svc/contract'
import { previewCookie, readQueryToken } from '../identity/index.ts'
import { type Call, isUpgrade, Problem } from '../kernel/http/index.ts'
import type { UserContext } from '../sandboxes/index.ts'
import type { MachineQuestion } from '../sessions/index.ts'
import { failAt, failElsewhere } from './explain-failure.ts'
import type { MachineAgents } from './machine-agents.ts'
import type { Admission, OpenedSession, Parts } from './parts.ts'
import { headersInto, isNavigation } from './pass-headers.ts'
import { admitPrompt, fingerprint, isRepeated, type Prompt, readPrompt } from './prompt-gate.ts'
import { daemonPort, readTarget, requireOpenRoute, type Target } from './read-target.ts'
import { relayRequest, wasNeverSent } from './relay-request.ts'
import { relayUpgrade } from './relay-upgrade.ts'
import { sendStatePage } from './state-page.ts'
import { forgetPrompt } from './store.ts'
import { whileAllowed } from './while-allowed.ts'

export type RelayCall = Call<typeof operations.sandboxProxy.relayGet>

const maxUploadBytes = 128 * 1024 * 1024
const firstHeaderMs = 60_000
/** A blocking prompt is held this long; the turn goes on after it. */
const longTurnMs = 10 * 60_000
const cookieMs = 60 * 60_000

/** One request into a machine, by somebody who may open its session. */
export async function relayCall(
  parts: Parts,
  agents: MachineAgents,
  call: RelayCall,
  asked: MachineQuestion | undefined,
): Promise<undefined> {
  const { incoming } = call.request
  const given = readQueryToken(incoming.url ?? '')
  const isOwnToken = given !== undefined && (await parts.isCredential(given))
  const target = readTarget(incoming, call.params.sandboxId, call.params.port, { isOwnToken })
  requireOpenRoute(target)
  const session = await parts.sessions.openMachine(call.principal, target.externalId, asked)
  if (target.isOnOwnHost && isOwnToken && keepsTicket(parts, call, target, given)) return undefined
  try {
    if (!session.isActive) await answerParked(parts, call, session, target)
    else if (session.isElsewhere) throw failElsewhere(target)
    else {
      const check = () => parts.sessions.openMachine(call.principal, target.externalId)
      const allowance = { clock: parts.kernel.clock, socket: incoming.socket, check }
      await whileAllowed(allowance, () => relayLive(parts, agents, { call, session, target }))
    }
  } catch (error) {
    if (!showsFailure(call, error)) throw error
  }
  return undefined
}

/** A ticket in the address of a preview becomes a cookie of that host, and leaves the address. */
function keepsTicket(
  { previews, kernel }: Parts,
  { request, outgoing }: RelayCall,
  target: Target,
  given: string,
): boolean {
  if (request.incoming.method !== 'GET' || isUpgrade(request.incoming)) return false
  const token = previews.open(given, 'ticket') ?? given
  const cookie = previews.seal(token, 'cookie', kernel.clock.nowMs() + cookieMs)
  // In a frame of the dashboard the preview is another site: only a cookie of that one frame is sent there. In a window
  // of its own it gets one that no form of another site is sent with.
  const isFramed = request.incoming.headers['sec-fetch-dest'] === 'iframe'
  const reach = isFramed ? 'SameSite=None; Partitioned' : 'SameSite=Lax'
  outgoing.writeHead(302, {
    // A browser takes two slashes of either kind for another host.
    location: /^\/[/\\]/.test(target.path) ? '/' : target.path,
    'set-cookie': `${previewCookie}=${cookie}; Path=/; HttpOnly; Secure; ${reach}; Max-Age=${cookieMs / 1000}`,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  })
  outgoing.end()
  return true
}

/** A page that is opened, or a change, brings a parked session back; a read in the background does not. */
async function answerParked({ sessions }: Parts, call: RelayCall, session: OpenedSession, target: Target) {
  const { incoming } = call.request
  const isOpening = isNavigation(incoming)
  const isChange = incoming.method !== 'GET' && incoming.method !== 'HEAD'
  const isFromInside = call.principal.sessionId === session.sessionId
  if ((isOpening || isChange) && !isFromInside) await sessions.wake(session.sessionId)
  throw failAt('control_plane', target, 'sandbox_not_ready')
}

interface Live {
  readonly call: RelayCall
  readonly session: OpenedSession
  readonly target: Target
}

async function relayLive(parts: Parts, agents: MachineAgents, live: Live): Promise<void> {
  const { call, session, target } = live
  const { incoming } = call.request
  const headers = headersInto(incoming, target, parts.publicUrl())
  const isDaemon = target.port === daemonPort
  if (isDaemon) Object.assign(headers, await parts.sandboxes.daemonHeaders(target.externalId, contextOf(call)))
  const isFromInside = call.principal.sessionId === session.sessionId
  if (isUpgrade(incoming)) {
    parts.sessions.noteActivity(session.sessionId, 'preview', isFromInside)
    return relayUpgrade(agents, { incoming, outgoing: call.outgoing, target, headers })
  }
  const prompt = isDaemon ? await readPrompt(incoming, target.path) : undefined
  const print = prompt && fingerprint(prompt, readKey(incoming))
  const admission = prompt && (await admitPrompt(parts, call.principal, session, prompt))
  if (admission && print !== undefined && (await isHeldBack(parts, session, print, admission))) {
    return answerRepeated(call)
  }
  parts.sessions.noteActivity(session.sessionId, kindOf(prompt, isDaemon), isFromInside)
  if (prompt) headers['content-length'] = prompt.body.length
  const answered = relayRequest(agents, {
    incoming,
    outgoing: call.outgoing,
    target,
    headers,
    body: prompt?.body,
    maxBodyBytes: maxUploadBytes,
    firstHeaderMs: prompt && prompt.kind !== 'prompt_async' ? longTurnMs : firstHeaderMs,
    lateCode: prompt && prompt.kind !== 'prompt_async' ? 'long_turn_proxy_timeout' : 'sandbox_timeout',
  })
  const relaying = admission ? endAdmission(admission, answered) : answered
  await (print === undefined ? relaying : forgetUntaken(parts, session, print, relaying))
}

/** Whether it was passed on before; then, or when nobody can tell, it is not passed on now. */
async function isHeldBack(parts: Parts, session: OpenedSession, print: string, admission: Admission): Promise<boolean> {
  let mayPass = false
  try {
    mayPass = !(await isRepeated(parts, session, print))
    return !mayPass
  } finally {
    if (!mayPass) admission.end(false)
  }
}

async function endAdmission(admission: Admission, relaying: Promise<number>): Promise<number> {
  try {
    const status = await relaying
    admission.end(status < 400)
    return status
  } catch (error) {
    admission.end(!wasNeverSent(error))
    throw error
  }
}

/** A prompt that never left, or that the runtime refused, may be sent again; of any other it may have run. */
async function forgetUntaken(parts: Parts, { sessionId }: OpenedSession, print: string, relaying: Promise<number>) {
  const forget = () => forgetPrompt(parts.kernel.database.sql, sessionId, print)
  const status = await relaying.catch(async (error: unknown) => {
    if (wasNeverSent(error)) await forget()
    throw error
  })
  if (status >= 400 && status < 500) await forget()
}

function readKey({ headers }: RelayCall['request']['incoming']): string | undefined {
  const key = headers['idempotency-key']
  return typeof key === 'string' ? key : undefined
}

/** The right to open a session is the right to work in it. */
function contextOf({ principal }: RelayCall): UserContext {
  return { userId: principal.id, role: 'member', scopes: [] }
}

/** The prompt was passed on before, and its caller is told so. */
function answerRepeated({ outgoing }: RelayCall): void {
  const body = JSON.stringify({ status: 'duplicate', deduplicated: true })
  outgoing.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'access-control-allow-origin': '*',
  })
  outgoing.end(body)
}

function kindOf(prompt: Prompt | undefined, isDaemon: boolean): 'turn' | 'preview' | 'request' {
  if (prompt) return 'turn'
  return isDaemon ? 'request' : 'preview'
}

/** People who open a page get a page; programs get the envelope. */
function showsFailure({ request, outgoing }: RelayCall, error: unknown): boolean {
  if (!Problem.isInstance(error) || outgoing.headersSent || !isNavigation(request.incoming)) return false
  if (error.code === 'sandbox_not_ready') {
    sendStatePage(outgoing, 'Starting the sandbox', 'The session was parked and is coming back.')
    return true
  }
  if (error.code !== 'sandbox_unreachable') return false
  sendStatePage(outgoing, 'Nothing here yet', error.message)
  return true
}
