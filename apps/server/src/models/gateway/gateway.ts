import { problem } from '../../kernel/http/index.ts'
import type { Parts } from '../parts.ts'
import { keepCall } from '../prompts/keep-call.ts'
import type { ServableModel } from '../resolve.ts'
import { chooseRoute } from '../routing/choose-route.ts'
import type { Snapshot } from '../snapshot.ts'
import { type Admitted, createAdmission } from './admission.ts'
import { askUpstream } from './ask-upstream.ts'
import type { Caller } from './call-facts.ts'
import { choosePlan } from './choose-translation.ts'
import {
  describeAsking,
  describeCaller,
  type GatewayCall,
  nothingAsked,
  openProject,
  passedHeaders,
  resolveChain,
  responseHeaders,
  watchCaller,
} from './describe-call.ts'
import { finishAnswer, finishFailure } from './finish-call.ts'
import { type MeteredCall, meterCall } from './meter-call.ts'
import { type Endpoint, type GatewayRequest, parseRequest, readBody } from './read-request.ts'
import { type Relayed, relayDocument } from './relay-answer.ts'
import { relayStream } from './relay-stream.ts'
import type { Waiting } from './send-request.ts'
import { tryModels } from './try-models.ts'
import { writeRequest } from './write-request.ts'

export interface Gateway {
  serve(endpoint: Endpoint, call: GatewayCall): Promise<undefined>
  /** The same for a caller who was admitted to the project already. */
  serveProject(projectId: string, endpoint: Endpoint, call: GatewayCall): Promise<undefined>
}

/** The data plane: one call of a model from its first byte to its row in the log. */
export function createGateway(parts: Parts): Gateway {
  const admission = createAdmission()
  return {
    async serve(endpoint, call) {
      return this.serveProject(await openProject(call), endpoint, call)
    },
    async serveProject(projectId, endpoint, call) {
      const admitted = admission.enter(call.request.incoming)
      try {
        const snapshot = await openSnapshot(parts, projectId)
        await serve(parts, { endpoint, call, admitted, snapshot })
      } finally {
        admitted.leave()
      }
      return undefined
    },
  }
}

/** What a project allows is never guessed: while the database is away nobody new is served. */
async function openSnapshot(parts: Parts, projectId: string): Promise<Snapshot> {
  try {
    return await parts.snapshots.read(projectId)
  } catch (cause) {
    if (cause instanceof Error && 'status' in cause) throw cause
    parts.kernel.log.warn('the settings of a project cannot be read', { error: cause })
    throw problem('gateway_error', { headers: { 'retry-after': '2' } })
  }
}

interface Serving {
  readonly endpoint: Endpoint
  readonly call: GatewayCall
  readonly admitted: Admitted
  readonly snapshot: Snapshot
}

async function serve(parts: Parts, serving: Serving): Promise<void> {
  const startedAt = performance.now()
  const { endpoint, call, admitted, snapshot } = serving
  const caller = describeCaller(call, endpoint, snapshot)
  const kept = keepCall(parts, snapshot)
  const waiting = watchCaller(call)
  let asking = nothingAsked
  let metered: MeteredCall | undefined
  try {
    const held = { request: parseRequest(endpoint, await readBody(call.request.incoming, admitted)) }
    asking = describeAsking(endpoint, held.request)
    kept?.asked(held.request.text)
    const { model, hasImages } = held.request
    const route = chooseRoute(snapshot, model, hasImages, caller.agentName ?? undefined)
    const models = resolveChain(snapshot, [route.primaryModel, ...route.fallbackModels])
    metered = await meterCall(parts, snapshot, caller, models, asking)
    const relay = createRelay(parts, { ...serving, waiting }, held, metered, caller, kept?.answered)
    const tried = await tryModels(parts.health, models, route.fallbackOn, waiting, relay)
    const callId = finishAnswer({ call, caller, asking, startedAt }, metered, tried)
    kept?.write(callId)
  } catch (error) {
    const callId = finishFailure(parts, { call, caller, asking, startedAt }, metered, error, waiting.isGone)
    kept?.write(callId)
  }
}

const nothingHeld = { body: {}, bytes: Buffer.alloc(0), text: '', names: new Map<string, number>() }

function createRelay(
  parts: Parts,
  { endpoint, call, admitted, waiting }: Serving & { readonly waiting: Waiting },
  held: { request: GatewayRequest },
  metered: MeteredCall,
  caller: Caller,
  onSent: ((bytes: Buffer) => void) | undefined,
) {
  /** Nothing is tried again after the first byte: a long prompt need not stay for as long as its answer takes. */
  const onFirstByte = () => {
    held.request = { ...held.request, ...nothingHeld }
    admitted.leaveBody()
  }
  return async (model: ServableModel): Promise<Relayed> => {
    const { request } = held
    const plan = choosePlan(endpoint, model, request)
    const answered = await askUpstream(parts.pools, model, {
      path: plan.path,
      body: writeRequest(endpoint, request, plan, model, metered.capTokens),
      isStream: request.isStream || model.upstream.isResponsesOnly,
      passed: passedHeaders(call, model),
      waiting,
      timeouts: parts.operator.current().timeouts,
    })
    const headers = responseHeaders(call, caller, model, metered)
    const isStream = request.isStream && answered.contentType.includes('event-stream')
    const relay = isStream ? relayStream : relayDocument
    const { translation } = plan
    return relay({ answered, translation, outgoing: call.outgoing, headers, onFirstByte, onSent })
  }
}
