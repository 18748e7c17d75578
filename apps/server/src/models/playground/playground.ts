import type { operations } from '@svc/contract'
import type { Call } from '../../kernel/http/index.ts'
import { askUpstream } from '../gateway/ask-upstream.ts'
import type { Asking, Caller } from '../gateway/call-facts.ts'
import { choosePlan } from '../gateway/choose-translation.ts'
import { estimateUsage, gatewayRequestId, resolveChain, watchCaller } from '../gateway/describe-call.ts'
import { GatewayFailure, toFailure } from '../gateway/failure.ts'
import { type MeteredCall, meterCall, recordRefusal } from '../gateway/meter-call.ts'
import { readDocument } from '../gateway/relay-answer.ts'
import type { Waiting } from '../gateway/send-request.ts'
import { writeRequest } from '../gateway/write-request.ts'
import type { Parts } from '../parts.ts'
import type { ServableModel } from '../resolve.ts'
import type { Snapshot } from '../snapshot.ts'
import { asArray, asObject, compact, type Json } from '../wire/json.ts'
import { textOf } from '../wire/text-of.ts'
import { readUsage } from '../wire/usage.ts'

type PlaygroundCall = Call<typeof operations.modelUsage.playground>

const defaultOutputTokens = 512

/**
 * Asks every model the same at once, one attempt each. What they cost counts like any other call. A model that takes too
 * long is told apart: what the others said is answered.
 */
export async function runPlayground(parts: Parts, call: PlaygroundCall) {
  const snapshot = await parts.snapshots.read(call.projectId)
  const results = await Promise.all(call.body.models.map((model, at) => askOne(parts, snapshot, call, model, at)))
  return { results }
}

async function askOne(parts: Parts, snapshot: Snapshot, call: PlaygroundCall, requestedModel: string, at: number) {
  const startedAt = performance.now()
  const caller = describeCaller(call, at)
  const body = writeBody(call)
  const asking: Asking = {
    requestedModel,
    isStream: false,
    maxPromptTokens: Buffer.byteLength(JSON.stringify(body)),
    pictures: 0,
    maxOutputTokens: Number(body.max_tokens),
    isLengthUnknown: false,
    isDearer: false,
    serverTools: [],
    answerCount: 1,
    hasOutput: true,
  }
  let metered: MeteredCall | undefined
  let model: ServableModel | undefined
  const { timeouts } = parts.operator.current()
  const { waiting, isLate, stop } = waitFor(call, timeouts.playground_ms)
  try {
    ;[model] = resolveChain(snapshot, [requestedModel])
    if (!model) throw new Error('a chain begins with its first model')
    metered = await meterCall(parts, snapshot, caller, [model], asking)
    const plan = choosePlan('chat', model, { body, isStream: false })
    const text = JSON.stringify({ ...body, model: requestedModel })
    const answered = await askUpstream(parts.pools, model, {
      path: plan.path,
      body: writeRequest('chat', { body: { ...body, model: requestedModel }, text }, plan, model, undefined),
      isStream: model.upstream.isResponsesOnly,
      passed: {},
      waiting,
      timeouts,
    })
    const { document, bytes } = await readDocument(answered)
    const answer = plan.translation ? plan.translation.answer(document) : document
    const told = readUsage(document)
    const usage = told ?? estimateUsage(asking, bytes.length)
    parts.health.succeeded(model)
    const entry = metered.finish({ ...done, model, status: 200, usage, isEstimated: !told, attemptCount: 1 })
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
    const failure = isLate() ? tooLate(timeouts.playground_ms) : toFailure(error)
    if (model && metered && !waiting.isGone) parts.health.failed(model, failure)
    // What was begun may be billed by the provider, whoever ended it.
    const begun = waiting.isGone ? { usage: estimateUsage(asking, 0), isEstimated: true } : {}
    const told = { status: failure.status, errorCode: failure.code, errorMessage: failure.message }
    const outcome = { ...done, ...begun, model, ...told }
    if (metered) metered.finish({ ...outcome, attemptCount: 1 })
    else recordRefusal(parts, caller, asking, outcome, performance.now() - startedAt)
    return { model: requestedModel, ok: false, error: failure.message }
  } finally {
    stop()
  }
}

/** For as long as the caller waits, and no longer than an answer in one piece may take. */
function waitFor(call: PlaygroundCall, timeoutMs: number) {
  const waiting: Waiting & { isGone: boolean } = watchCaller(call)
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    waiting.isGone = true
    waiting.onGone?.()
  }, timeoutMs)
  return { waiting, isLate: () => isLate, stop: () => clearTimeout(timer) }
}

function tooLate(timeoutMs: number): GatewayFailure {
  return new GatewayFailure({
    status: 504,
    code: 'upstream_error',
    message: `No whole answer came within ${Math.round(timeoutMs / 1_000)} seconds. Ask this model by itself, as a stream: that has no such limit.`,
  })
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
