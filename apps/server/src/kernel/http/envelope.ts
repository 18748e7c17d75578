import type { Problem } from './problem.ts'

type Body = Record<string, unknown>

/**
 * The body of a refusal. One shape everywhere, except below the prefixes whose protocol has a shape of its own.
 */
export function renderProblem(problem: Problem, path: string, requestId: string): Body {
  const render = protocolEnvelopes.find(({ prefix }) => path.startsWith(prefix))?.render ?? renderPlain
  return render(problem, requestId)
}

function renderPlain(problem: Problem, requestId: string): Body {
  const next = problem.next === undefined ? {} : { next: problem.next }
  return { error: problem.message, code: problem.code, request_id: requestId, ...next, ...problem.extras }
}

function renderOAuth(problem: Problem): Body {
  return { error: problem.code, error_description: problem.message, ...problem.extras }
}

/** OpenAI's libraries read `error`, others the fields beside it. */
function renderLlm(problem: Problem, requestId: string): Body {
  const type = problem.status >= 500 ? 'server_error' : 'invalid_request_error'
  const { message, code } = problem
  const shared = { ...describeLlm(problem, requestId), ...problem.extras }
  return { error: { message, type, param: null, code, ...shared }, message, code, ...shared }
}

function renderAnthropic(problem: Problem, requestId: string): Body {
  const types: Record<number, string> = {
    401: 'authentication_error',
    402: 'billing_error',
    403: 'permission_error',
    404: 'not_found_error',
    413: 'request_too_large',
    429: 'rate_limit_error',
    503: 'overloaded_error',
  }
  const type = types[problem.status] ?? (problem.status >= 500 ? 'api_error' : 'invalid_request_error')
  const { message, code } = problem
  const shared = describeLlm(problem, requestId)
  return { type: 'error', error: { type, message, code, ...shared }, ...shared }
}

function describeLlm(problem: Problem, requestId: string): Body {
  const suggestion = problem.next === undefined ? {} : { suggestion: problem.next }
  return { request_id: `req_${requestId.replaceAll('-', '')}`, ...suggestion }
}

const protocolEnvelopes = [
  { prefix: '/v1/auth/', render: renderOAuth },
  { prefix: '/v1/oauth/', render: renderOAuth },
  { prefix: '/v1/llm/messages', render: renderAnthropic },
  { prefix: '/v1/llm/v1/messages', render: renderAnthropic },
  { prefix: '/v1/llm/', render: renderLlm },
]
