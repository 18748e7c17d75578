import type { operations } from '@svc/contract'
import { type Call, problem } from '../../kernel/http/index.ts'
import type { Usage } from '../catalog/price.ts'
import type { ServableModel } from '../resolve.ts'
import { disabledBy, resolveModel } from '../resolve-model.ts'
import type { Snapshot } from '../snapshot.ts'
import type { Asking, Caller } from './call-facts.ts'
import type { MeteredCall } from './meter-call.ts'
import type { Endpoint, GatewayRequest } from './read-request.ts'
import type { Waiting } from './send-request.ts'

export type GatewayCall = Call<typeof operations.models.chatCompletions>

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

/**
 * A caller waits until the connection ends before the answer is whole. Asked of the response itself: an abort signal
 * costs several times as much, for each call.
 */
export function watchCaller({ outgoing }: Pick<GatewayCall, 'outgoing'>): Waiting & { isGone: boolean } {
  const waiting: Waiting & { isGone: boolean } = { isGone: outgoing.destroyed, onGone: undefined }
  outgoing.once('close', () => {
    if (outgoing.writableFinished) return
    waiting.isGone = true
    waiting.onGone?.()
  })
  return waiting
}

export const nothingAsked: Asking = {
  requestedModel: '',
  isStream: false,
  maxPromptTokens: 0,
  pictures: 0,
  maxOutputTokens: undefined,
  isLengthUnknown: false,
  isDearer: false,
  serverTools: [],
  answerCount: 1,
  hasOutput: false,
}

export function describeAsking(endpoint: Endpoint, request: GatewayRequest): Asking {
  return {
    requestedModel: request.model,
    isStream: request.isStream,
    maxPromptTokens: request.maxPromptTokens,
    pictures: request.pictures,
    maxOutputTokens: request.maxOutputTokens,
    isLengthUnknown: request.isLengthUnknown,
    isDearer: request.isDearer,
    serverTools: request.serverTools,
    answerCount: request.answerCount,
    hasOutput: endpoint !== 'embeddings',
  }
}

export function describeCaller({ principal, request }: GatewayCall, endpoint: Endpoint, snapshot: Snapshot): Caller {
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

/** Versions of Anthropic's protocol are the caller's choice; nothing else of the caller's headers passes. */
export function passedHeaders({ request }: GatewayCall, { upstream }: ServableModel): Record<string, string> {
  const passed: Record<string, string> = {}
  if (upstream.protocol !== 'anthropic') return passed
  for (const name of ['anthropic-version', 'anthropic-beta']) {
    const value = request.incoming.headers[name]
    if (typeof value === 'string') passed[name] = value
  }
  return passed
}

export function responseHeaders(call: GatewayCall, caller: Caller, model: ServableModel, { capTokens }: MeteredCall) {
  const headers = plainHeaders(call, caller)
  headers['x-svc-model'] = model.headers.model
  headers['x-svc-provider'] = model.headers.provider
  if (capTokens !== undefined) headers['x-svc-output-capped'] = String(capTokens)
  return headers
}

export function plainHeaders({ request }: GatewayCall, { requestId }: Caller): Record<string, string> {
  return {
    'x-request-id': request.id,
    'x-svc-request-id': requestId,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'access-control-allow-origin': '*',
  }
}

const usualPictureTokens = 1_500

/** A provider that tells no usage: about four bytes a token, of what was asked and of what came. */
export function estimateUsage({ maxPromptTokens, pictures, hasOutput }: Asking, sentBytes: number): Usage {
  return {
    inputTokens: Math.ceil(maxPromptTokens / 4) + pictures * usualPictureTokens,
    outputTokens: hasOutput ? Math.ceil(sentBytes / 4) : 0,
    cachedTokens: 0,
    cacheWriteTokens: 0,
  }
}

export function styleOf(endpoint: string): 'openai' | 'anthropic' {
  return endpoint === 'messages' ? 'anthropic' : 'openai'
}

export function describeContext({ requestId }: Caller, { requestedModel }: Asking, model: ServableModel | undefined) {
  return {
    requestId,
    requestedModel,
    resolvedModel: model?.wireId ?? requestedModel,
    provider: model?.provider ?? '',
  }
}
