import { answer } from '../../kernel/http/index.ts'
import type { ChatRequest } from './chat-request.ts'
import { planTurn } from './plan-turn.ts'
import { streamCompletion, writeCompletion } from './write-completion.ts'

/** Answers one chat completion with the scripted model. */
export async function answerScripted(request: ChatRequest, signal: AbortSignal) {
  const turn = planTurn(request)
  const headers = { 'x-svc-model': 'scripted', 'cache-control': 'no-store' }
  const json = { ...headers, 'content-type': 'application/json; charset=utf-8' }
  if (turn.failStatus !== undefined) {
    return answer(renderFailure(turn.failStatus), { status: turn.failStatus, headers: json })
  }
  if (!request.stream) return answer(await writeCompletion(turn, request, signal), { headers: json })
  return answer(streamCompletion(turn, request, signal), {
    headers: { ...headers, 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
  })
}

function renderFailure(status: number): string {
  const type = status >= 500 ? 'server_error' : 'invalid_request_error'
  const message = `The script asked for an HTTP ${status} here.`
  return JSON.stringify({ error: { message, type, param: null, code: 'scripted_failure' } })
}
