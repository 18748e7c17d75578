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

function renderLlm(problem: Problem, requestId: string): Body {
  const type = problem.status >= 500 ? 'server_error' : 'invalid_request_error'
  const { message, code } = problem
  return { error: { message, type, param: null, code, request_id: requestId, ...problem.extras } }
}

const protocolEnvelopes = [
  { prefix: '/v1/auth/', render: renderOAuth },
  { prefix: '/v1/oauth/', render: renderOAuth },
  { prefix: '/v1/llm/', render: renderLlm },
]
