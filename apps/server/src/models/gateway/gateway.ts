import type { operations } from '@svc/contract'
import { type Call, problem } from '../../kernel/http/index.ts'
import type { Usage } from '../catalog/price.ts'
import type { Parts } from '../parts.ts'
import type { ServableModel } from '../resolve.ts'
import { disabledBy, resolveModel } from '../resolve-model.ts'
import { chooseRoute } from '../routing/choose-route.ts'
import type { Snapshot } from '../snapshot.ts'
import { writeSse } from '../wire/sse.ts'
import { type Admitted, createAdmission } from './admission.ts'
import { askUpstream } from './ask-upstream.ts'
import { choosePlan, writeRequest } from './choose-translation.ts'
import { ClientGone, type GatewayFailure, toFailure } from './failure.ts'
import { type Asking, type Caller, type MeteredCall, meterCall, type Outcome, recordRefusal } from './meter-call.ts'
import { type Endpoint, type GatewayRequest, parseRequest, readBody } from './read-request.ts'
import { type Relayed, relayDocument, relayStream } from './relay-answer.ts'
import { NoModelAnswered, type Tried, tryModels } from './try-models.ts'
import type { UpstreamPools } from './upstream-pools.ts'
import { renderFailure, sendFailure } from './write-failure.ts'

export type GatewayCall = Call<typeof operations.models.chatCompletions>

export interface Gateway {
  serve(endpoint: Endpoint, call: GatewayCall): Promise<undefined>
}

/** The data plane: one call of a model from its first byte to its row in the log. */
export function createGateway(parts: Parts, pools: UpstreamPools): Gateway {
  const admission = createAdmission()
  return {
    async serve(endpoint, call) {
      const projectId = await openProject(call)
      const admitted = admission.enter(announcedBytes(call))
      try {
        await serve(parts, pools, { endpoint, call, admitted, projectId })
      } finally {
        admitted.leave()
      }
      return undefined
    },
  }
}

/** The project a call is for: the credential's own, or the one that a header names and the caller may read. */
export async function openProject(call: Pick<GatewayCall, 'principal' | 'request' | 'require'>): Promise<string> {
  const { principal, request } = call
  if (principal.authType === 'session') {
    throw problem('invalid_token', {
      say: 'The token of a sign-in session does not work on the model gateway.',
      next: 'Use a gateway key, a personal access token, or the token of a session.',
    })
  }
  const named = request.incoming.headers['x-svc-project-id']
  const projectId = principal.boundProjectId ?? (typeof named === 'string' ? named.toLowerCase() : undefined)
  if (projectId === undefined) throw problem('project_required')
  if (!/^[0-9a-f-]{36}$/.test(projectId)) throw problem('not_found')
  await call.require('project.read', { projectId })
  return projectId
}

function announcedBytes({ request }: GatewayCall): number {
  return Number(request.incoming.headers['content-length'] ?? 0) || 0
}

interface Serving {
  readonly endpoint: Endpoint
  readonly call: GatewayCall
  readonly admitted: Admitted
  readonly projectId: string
}

async function serve(parts: Parts, pools: UpstreamPools, serving: Serving): Promise<void> {
  const startedAt = performance.now()
  const { endpoint, call, admitted, projectId } = serving
  const snapshot = await parts.snapshots.read(projectId)
  const caller = describeCaller(call, endpoint, snapshot)
  let asking = nothingAsked
  let metered: MeteredCall | undefined
  try {
    const request = parseRequest(endpoint, await readBody(call.request.incoming, admitted))
    asking = describeAsking(endpoint, request)
    const route = chooseRoute(snapshot, request.model, request.hasImages, caller.agentName ?? undefined)
    const models = resolveChain(snapshot, [route.primaryModel, ...route.fallbackModels])
    metered = await meterCall(parts, snapshot, caller, models, asking)
    const relay = createRelay(parts, pools, serving, request, metered, caller)
    const tried = await tryModels(models, route.fallbackOn, call.signal, relay)
    finishAnswer(call, metered, tried, asking, { caller, startedAt })
  } catch (error) {
    finishFailure(parts, { call, caller, asking, metered, startedAt, error })
  }
}

const nothingAsked: Asking = {
  requestedModel: '',
  isStream: false,
  maxPromptTokens: 0,
  maxOutputTokens: undefined,
  hasOutput: false,
}

function describeAsking(endpoint: Endpoint, request: GatewayRequest): Asking {
  const { model, isStream, maxPromptTokens, maxOutputTokens } = request
  return { requestedModel: model, isStream, maxPromptTokens, maxOutputTokens, hasOutput: endpoint !== 'embeddings' }
}

function describeCaller({ principal, request }: GatewayCall, endpoint: Endpoint, snapshot: Snapshot): Caller {
  return {
    projectId: snapshot.projectId,
    accountId: snapshot.accountId,
    sessionId: principal.sessionId ?? null,
    agentName: principal.agentGrant?.agent ?? null,
    userId: principal.kind === 'user' ? principal.id : null,
    keyId: principal.authType === 'api_key' ? (principal.credentialId ?? null) : null,
    requestId: gatewayRequestId(request.id),
    endpoint,
  }
}

export function gatewayRequestId(requestId: string): string {
  return `req_${requestId.replaceAll('-', '')}`
}

/** The model that was asked for must be there and on; of those that would take over, the ones that are. */
export function resolveChain(snapshot: Snapshot, ids: readonly string[]): ServableModel[] {
  return ids.flatMap((id, at) => {
    const off = disabledBy(snapshot, id)
    if (at > 0) {
      if (off !== undefined) return []
      try {
        return [resolveModel(snapshot, id)]
      } catch {
        // A fallback that cannot be served is one less to try, not a failure of the call.
        return []
      }
    }
    const model = resolveModel(snapshot, id)
    if (off !== undefined) throw problem(off, { say: `The model “${id}” is switched off for this project.` })
    return [model]
  })
}

function createRelay(
  parts: Parts,
  pools: UpstreamPools,
  { endpoint, call, admitted }: Serving,
  request: GatewayRequest,
  metered: MeteredCall,
  caller: Caller,
) {
  return async (model: ServableModel): Promise<Relayed> => {
    const plan = choosePlan(endpoint, model)
    const answered = await askUpstream(pools, model, {
      path: plan.path,
      body: writeRequest(endpoint, request.body, plan, model, metered.capTokens),
      isStream: request.isStream,
      passed: passedHeaders(call, model),
      signal: call.signal,
      timeouts: parts.operator.current().timeouts,
    })
    const headers = responseHeaders(call, caller, model, metered)
    const relay = request.isStream && /event-stream/.test(answered.contentType) ? relayStream : relayDocument
    const { outgoing } = call
    return relay({ answered, translation: plan.translation, outgoing, headers, onFirstByte: admitted.leaveBody })
  }
}

/** Versions of Anthropic's protocol are the caller's choice; nothing else of the caller's headers passes. */
function passedHeaders({ request }: GatewayCall, { upstream }: ServableModel): Record<string, string> {
  if (upstream.protocol !== 'anthropic') return {}
  const passed: Record<string, string> = {}
  for (const name of ['anthropic-version', 'anthropic-beta']) {
    const value = request.incoming.headers[name]
    if (typeof value === 'string') passed[name] = value
  }
  return passed
}

function responseHeaders(call: GatewayCall, caller: Caller, model: ServableModel, { capTokens }: MeteredCall) {
  return {
    ...plainHeaders(call, caller),
    'x-svc-model': encodeURI(model.wireId),
    'x-svc-provider': encodeURI(model.provider),
    ...(capTokens === undefined ? {} : { 'x-svc-output-capped': String(capTokens) }),
  }
}

function plainHeaders({ request }: GatewayCall, { requestId }: Caller): Record<string, string> {
  return {
    'x-request-id': request.id,
    'x-svc-request-id': requestId,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
  }
}

function finishAnswer(
  call: GatewayCall,
  metered: MeteredCall,
  { model, result, failures }: Tried<Relayed>,
  asking: Asking,
  { caller, startedAt }: { caller: Caller; startedAt: number },
): void {
  const { usage, sentBytes, firstByteAt, cutBy } = result
  if (cutBy) sendCut(call, caller, cutBy, asking, model)
  if (!call.outgoing.writableEnded) call.outgoing.end()
  metered.finish({
    model,
    status: 200,
    errorCode: cutBy ? 'stream_interrupted' : null,
    errorMessage: cutBy?.message ?? null,
    usage: usage ?? estimateUsage(asking, sentBytes),
    isEstimated: usage === undefined,
    attempts: failures,
    attemptCount: failures.length + 1,
    firstTokenMs: firstByteAt === undefined ? null : Math.round(firstByteAt - startedAt),
  })
}

/** Half an answer is out: an event of the protocol says that the rest does not come. */
function sendCut(call: GatewayCall, caller: Caller, cutBy: GatewayFailure, asking: Asking, model: ServableModel): void {
  const style = styleOf(caller.endpoint)
  const context = { ...describeContext(caller, asking, model), attempts: [] }
  const data = JSON.stringify(renderFailure(cutBy, style, context))
  call.outgoing.write(writeSse(style === 'anthropic' ? { event: 'error', data } : { data }))
}

/** A provider that tells no usage: about four bytes a token, of what was asked and of what came. */
function estimateUsage({ maxPromptTokens }: Asking, sentBytes: number): Usage {
  return {
    inputTokens: Math.ceil(maxPromptTokens / 4),
    outputTokens: Math.ceil(sentBytes / 4),
    cachedTokens: 0,
    cacheWriteTokens: 0,
  }
}

interface Failing {
  readonly call: GatewayCall
  readonly caller: Caller
  readonly asking: Asking
  readonly metered: MeteredCall | undefined
  readonly startedAt: number
  readonly error: unknown
}

function finishFailure(parts: Parts, { call, caller, asking, metered, startedAt, error }: Failing): void {
  const tried = error instanceof NoModelAnswered ? error : undefined
  const gone = error instanceof ClientGone ? error : undefined
  const isGone = gone !== undefined || call.signal.aborted
  const failure = tried?.failure ?? toFailure(error)
  if (failure.code === 'gateway_error') parts.kernel.log.error('a call of a model failed', { error })
  const failures = tried?.failures ?? []
  const outcome: Outcome = {
    model: tried?.model ?? gone?.model,
    status: isGone ? 499 : failure.status,
    errorCode: isGone ? 'client_disconnected' : failure.code,
    errorMessage: isGone ? 'The caller went away before the answer was whole.' : failure.message,
    // What the provider had begun may be billed: the prompt and what was sent count.
    usage: isGone && metered ? (gone?.usage ?? estimateUsage(asking, gone?.sentBytes ?? 0)) : undefined,
    isEstimated: isGone && gone?.usage === undefined,
    attempts: failures,
    attemptCount: failures.length,
    firstTokenMs: null,
  }
  if (metered) metered.finish(outcome)
  else recordRefusal(parts, caller, asking, outcome, performance.now() - startedAt)
  if (isGone || call.outgoing.headersSent) {
    call.outgoing.destroy()
    return
  }
  const context = { ...describeContext(caller, asking, tried?.model), attempts: failures }
  sendFailure(call.outgoing, failure, styleOf(caller.endpoint), context, plainHeaders(call, caller))
}

function styleOf(endpoint: string): 'openai' | 'anthropic' {
  return endpoint === 'messages' ? 'anthropic' : 'openai'
}

function describeContext({ requestId }: Caller, { requestedModel }: Asking, model: ServableModel | undefined) {
  return {
    requestId,
    requestedModel,
    resolvedModel: model?.wireId ?? requestedModel,
    provider: model?.provider ?? '',
  }
}
