import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Refusal, refuse } from '../http/reply.ts'
import type { Access } from '../http/route.ts'
import { readUserContext, type UserContext } from './user-context.ts'

/** Lets the caller pass or throws the refusal; answers with who the platform says it is, where that was said. */
export function authenticate(
  headers: IncomingHttpHeaders,
  access: Access,
  serviceKey: string | undefined,
): UserContext | undefined {
  if (access === 'open') return undefined
  if (serviceKey === undefined) {
    throw refuse(503, 'service_key_missing', 'This sandbox was started without a service key: restart the session.')
  }
  const header = headers['x-svc-user-context']
  if (access === 'context') return requireContext(header, serviceKey)

  if (!holdsServiceKey(headers, serviceKey)) throw new Refusal(401, { error: 'unauthorized', reason: 'bad_key' })
  if (header === undefined) return undefined
  // The proxy drops the mark from what people send, so a user context without it is a person.
  if (access === 'platform' && !isServiceCall(headers)) {
    throw refuse(403, 'platform_only', 'Only the platform itself may call this.')
  }
  return requireContext(header, serviceKey)
}

export const isServiceCall = (headers: IncomingHttpHeaders) => headers['x-svc-service-call'] === '1'

export function holdsServiceKey(headers: IncomingHttpHeaders, serviceKey: string): boolean {
  const match = /^Bearer (.+)$/i.exec(headers.authorization ?? '')
  return match?.[1] !== undefined && timingSafeEqual(digest(match[1]), digest(serviceKey))
}

function requireContext(header: string | string[] | undefined, serviceKey: string): UserContext {
  const read = typeof header === 'string' ? readUserContext(header, serviceKey, Date.now()) : 'malformed'
  if (typeof read === 'string') throw new Refusal(401, { error: 'unauthorized', reason: read })
  return read
}

const digest = (text: string) => createHash('sha256').update(text).digest()
