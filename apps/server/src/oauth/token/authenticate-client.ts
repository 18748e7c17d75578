import type { IncomingMessage } from 'node:http'
import { equalConstantTime } from '../../kernel/crypto/index.ts'
import { type Problem, problem } from '../../kernel/http/index.ts'
import { isUuid } from '../../kernel/ids/index.ts'
import { addressKey } from '../../kernel/rate-limit/index.ts'
import type { Parts } from '../parts.ts'
import { type ClientRow, findClient } from '../store/clients.ts'

interface Caller {
  readonly clientId: string | undefined
  readonly clientSecret: string | undefined
  readonly ip: string
  readonly incoming: IncomingMessage
}

const perMinute = { limit: 20, windowMs: 60_000 }

/** The client behind a form, or a thrown 401. Failed attempts count against the address they come from. */
export async function authenticateClient(parts: Parts, caller: Caller): Promise<ClientRow> {
  if (!caller.clientId) throw problem('invalid_request', { say: 'client_id is missing.' })
  const client = await findGenuine(parts, caller)
  if (client) return client
  await limit(parts, 'oauth:failed', addressKey(caller.ip))
  throw refuse(caller.incoming)
}

/** Counted only for the client itself, so that nobody else can use up what an app with a secret may ask for. */
export function limitClient(parts: Parts, client: ClientRow): Promise<void> {
  return limit(parts, 'oauth:token', client.clientId)
}

async function findGenuine({ kernel }: Parts, { clientId, clientSecret }: Caller): Promise<ClientRow | undefined> {
  const client = isUuid(clientId) ? await findClient(kernel.database.db, clientId) : undefined
  if (!client?.active) return undefined
  if (client.secretHash === null) return clientSecret === undefined ? client : undefined
  const given = kernel.tokenHasher.hashToken(clientSecret ?? '')
  return equalConstantTime(given, client.secretHash) ? client : undefined
}

async function limit({ kernel }: Parts, name: string, key: string): Promise<void> {
  const take = await kernel.rateLimits.rateLimit({ name, ...perMinute }).take(key)
  if (take.allowed) return
  const seconds = take.retryAfterSeconds
  throw problem('rate_limit_exceeded', {
    headers: {
      'retry-after': String(seconds),
      'x-ratelimit-limit': String(perMinute.limit),
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(seconds),
    },
    extras: { retry_after_seconds: seconds },
  })
}

/** A client that tried the Authorization header is told so by the header its protocol looks at. */
function refuse({ headers }: IncomingMessage): Problem {
  if (headers.authorization === undefined) return problem('invalid_client')
  return problem('invalid_client', {
    say: 'This server reads client_id and client_secret from the form, not from the Authorization header.',
    headers: { 'www-authenticate': 'Basic realm="oauth"' },
  })
}
