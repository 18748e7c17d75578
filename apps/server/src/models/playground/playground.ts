import type { operations } from '@svc/contract'
import type { Call } from '../../kernel/http/index.ts'
import { askUpstream } from '../gateway/ask-upstream.ts'
import { choosePlan, writeRequest } from '../gateway/choose-translation.ts'
import { toFailure } from '../gateway/failure.ts'
import { gatewayRequestId, resolveChain } from '../gateway/gateway.ts'
import { type Asking, type Caller, type MeteredCall, meterCall, recordRefusal } from '../gateway/meter-call.ts'
import { readAll } from '../gateway/relay-answer.ts'
import type { UpstreamPools } from '../gateway/upstream-pools.ts'
import type { Parts } from '../parts.ts'
import type { ServableModel } from '../resolve.ts'
import type { Snapshot } from '../snapshot.ts'
import { textOf } from '../wire/chat-to-anthropic.ts'
import { asArray, asObject, compact, type Json, tryParse } from '../wire/json.ts'
import { readUsage } from '../wire/usage.ts'

type PlaygroundCall = Call<typeof operations.modelUsage.playground>

const defaultOutputTokens = 512

/** Asks every model the same at once, one attempt each. What they cost counts like any other call. */
export async function runPlayground(parts: Parts, pools: UpstreamPools, call: PlaygroundCall) {
  const snapshot = await parts.snapshots.read(call.projectId)
  const results = await Promise.all(
    call.body.models.map((model, at) => askOne(parts, pools, snapshot, call, model, at)),
  )
  return { results }
}

async function askOne(
  parts: Parts,
  pools: UpstreamPools,
  snapshot: Snapshot,
  call: PlaygroundCall,
  requestedModel: string,
  at: number,
) {
  const startedAt = performance.now()
  const caller = describeCaller(call, at)
  const body = writeBody(call)
  const asking: Asking = {
    requestedModel,
    isStream: false,
    maxPromptTokens: Buffer.byteLength(JSON.stringify(body)),
    maxOutputTokens: Number(body.max_tokens),
    hasOutput: true,
  }
  let metered: MeteredCall | undefined
  let model: ServableModel | undefined
  try {
    ;[model] = resolveChain(snapshot, [requestedModel])
    if (!model) throw new Error('a chain begins with its first model')
    metered = await meterCall(parts, snapshot, caller, [model], asking)
    const plan = choosePlan('chat', model)
    const answered = await askUpstream(pools, model, {
      path: plan.path,
      body: writeRequest('chat', body, plan, model, undefined),
      isStream: false,
      passed: {},
      signal: call.signal,
      timeouts: parts.operator.current().timeouts,
    })
    const document = asObject(tryParse((await readAll(answered)).toString('utf8')))
    const answer = plan.translation ? plan.translation.answer(document) : document
    const usage = readUsage(document)
    const entry = metered.finish({ ...done, model, status: 200, usage, attemptCount: 1 })
    return {
      model: requestedModel,
      ok: true,
      latency_ms: entry.latency_ms,
      output: textOf(asObject(asObject(asArray(answer.choices)[0]).message).content),
      input_tokens: entry.input_tokens,
      output_tokens: entry.output_tokens,
      cost: (entry.svc_micros + entry.provider_micros) / 1e6,
      resolved_model: model.wireId,
      provider: model.provider,
    }
  } catch (error) {
    const failure = toFailure(error)
    const outcome = { ...done, model, status: failure.status, errorCode: failure.code, errorMessage: failure.message }
    if (metered) metered.finish({ ...outcome, attemptCount: 1 })
    else recordRefusal(parts, caller, asking, outcome, performance.now() - startedAt)
    return { model: requestedModel, ok: false, error: failure.message }
  }
}

const done = {
  usage: undefined,
  errorCode: null,
  errorMessage: null,
  attempts: [],
  attemptCount: 0,
  firstTokenMs: null,
}

function describeCaller({ principal, projectId, accountId, request }: PlaygroundCall, at: number): Caller {
  return {
    projectId,
    accountId,
    sessionId: principal.sessionId ?? null,
    agentName: principal.agentGrant?.agent ?? null,
    userId: principal.kind === 'user' ? principal.id : null,
    keyId: null,
    requestId: `${gatewayRequestId(request.id)}_${at + 1}`,
    endpoint: 'playground',
  }
}

function writeBody({ body }: PlaygroundCall): Json {
  const { prompt, system, generationConfig } = body
  return compact({
    messages: [
      ...(system === undefined ? [] : [{ role: 'system', content: system }]),
      { role: 'user', content: prompt },
    ],
    max_tokens: generationConfig?.maxOutputTokens ?? defaultOutputTokens,
    temperature: generationConfig?.temperature,
    top_p: generationConfig?.topP,
    reasoning_effort: generationConfig?.reasoningEffort,
  })
}
