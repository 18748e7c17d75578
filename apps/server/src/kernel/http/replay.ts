import type { AnyOperation } from '@svc/contract'
import { hashBody, type Idempotency, IdempotencyError } from '../idempotency/index.ts'
import type { Principal } from '../principal.ts'
import { Answer } from './answer.ts'
import type { LiveCall } from './call.ts'
import { problem } from './problem.ts'

/**
 * Runs a call at most once per caller (see `callerOf`), operation and `Idempotency-Key`; a repeat gets the first answer. A refusal
 * changed nothing, so it frees the key. Every kept answer is sealed: some show a credential once.
 */
export function createReplay({ runIdempotent }: Idempotency) {
  return async (call: LiveCall<AnyOperation>, key: string, run: () => Promise<unknown>): Promise<unknown> => {
    const { operation } = call.request
    const bodyHash = hashBody(JSON.stringify([call.params, call.query, call.body]))
    try {
      const given = await runIdempotent(
        { caller: callerOf(call.principal), route: operation.id, key, bodyHash },
        async () => {
          const result = await run()
          const answer = result instanceof Answer ? result : new Answer(result)
          return {
            status: answer.status ?? operation.status,
            headers: flatten(answer.headers),
            body: answer.body,
            secret: true,
          }
        },
      )
      const headers = { ...given.headers, ...(given.replayed ? { 'idempotency-replayed': 'true' } : {}) }
      return new Answer(given.body, { status: given.status, headers })
    } catch (error) {
      if (IdempotencyError.isInstance(error)) throw problem(error.code)
      throw error
    }
  }
}

/**
 * Whose key it is. Sign-in sessions of one person are one caller; any other credential is one of its own, since it may be
 * narrower than the one that was answered.
 */
function callerOf({ kind, id, authType, credentialId, sessionId }: Principal): string {
  const isSignedIn = authType === 'session' && sessionId === undefined
  return isSignedIn || credentialId === undefined ? `${kind}:${id}` : `${kind}:${id}:${credentialId}`
}

function flatten(headers: Readonly<Record<string, string | string[]>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}
