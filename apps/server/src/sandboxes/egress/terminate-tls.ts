import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { connect as connectTls, type SecureContext, TLSSocket } from 'node:tls'
import type { MachineGate, Passage } from './machine-gate.ts'
import { forwardHeaders, valuesOf } from './raw-headers.ts'
import { answerRefusal, EgressRefusal, explainDialError } from './refusal.ts'
import { relayRequest } from './relay-request.ts'
import type { EgressMachine, Substitution } from './substitution.ts'
import { readAuthority, type Target, writeAuthority } from './target.ts'

export interface Terminator {
  /** Takes over a client that was told its tunnel is open. */
  take(client: Duplex, target: Target, context: SecureContext): void
  stop(): void
}

export interface TerminatorOptions {
  readonly machine: EgressMachine
  readonly gate: MachineGate
  readonly substitution: Substitution
  /** Certificates to trust besides the usual ones; for tests. */
  readonly trust?: string
}

/**
 * Opens TLS connections to the hosts whose traffic is rewritten: towards the sandbox with a certificate of the
 * project's authority, towards the host with its own certificate checked. Every request must be for the very host the
 * tunnel was asked for.
 */
export function createTerminator({ machine, gate, substitution, trust }: TerminatorOptions): Terminator {
  const targets = new WeakMap<object, Target>()
  const server = createServer({ requestTimeout: 0, headersTimeout: 30_000 }, (request, response) => {
    const target = targets.get(request.socket)
    if (!target) return void response.destroy()
    answer(request, response, target).catch((error: unknown) => {
      const refusal = explainDialError(error, target)
      answerRefusal(response, refusal)
    })
  })
  server.on('clientError', (_error, socket) => socket.destroy())

  async function answer(request: IncomingMessage, response: ServerResponse, target: Target): Promise<void> {
    if (!isFor(request, target)) {
      gate.noteRefusal(target, 'refused_secret')
      throw misdirected
    }
    const rawHeaders = forwardHeaders(request.rawHeaders)
    const method = request.method ?? 'GET'
    const decision = await substitution.decide({ machine, target, method, path: request.url ?? '/', rawHeaders })
    if (decision.kind === 'refuse') {
      gate.noteRefusal(target, 'refused_secret')
      throw new EgressRefusal(
        'refused_secret',
        403,
        'egress_secret_refused',
        decision.reason,
        'Use the secret for its own hosts.',
      )
    }
    const passage = await gate.pass(target)
    const upstream = await secure(passage, target, trust)
    let outcome: 'ok' | 'cut' = 'cut'
    try {
      await relayRequest(request, response, { ...decision, via: { createConnection: () => upstream } })
      outcome = response.writableFinished ? 'ok' : 'cut'
    } finally {
      passage.end(outcome)
      upstream.destroy()
    }
  }

  return {
    take(client, target, context) {
      const secured = new TLSSocket(client, { isServer: true, secureContext: context, ALPNProtocols: ['http/1.1'] })
      targets.set(secured, target)
      secured.once('secure', () => {
        const { servername } = readServerName(secured)
        if (servername && servername.toLowerCase() !== target.host) secured.destroy()
      })
      secured.on('error', () => secured.destroy())
      client.once('close', () => secured.destroy())
      server.emit('connection', secured)
    },
    stop: () => server.closeAllConnections(),
  }
}

const misdirected = new EgressRefusal(
  'refused_secret',
  421,
  'egress_misdirected',
  'The request names another host than the connection was opened for.',
  'Open a connection of its own for each host.',
)

function isFor(request: IncomingMessage, target: Target): boolean {
  const named = valuesOf(request.rawHeaders, 'host')
  if (named.length !== 1 || !(request.url ?? '').startsWith('/')) return false
  const authority = named[0] ?? ''
  const found = readAuthority(/:\d+$/.test(authority) ? authority : `${authority}:443`)
  return found !== undefined && writeAuthority(found) === writeAuthority(target)
}

function readServerName(socket: TLSSocket & { servername?: unknown }): { servername: string | undefined } {
  return { servername: typeof socket.servername === 'string' ? socket.servername : undefined }
}

function secure({ socket, end }: Passage, { host }: Target, trust: string | undefined): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const name = /^[\d.]+$|:/.test(host) ? {} : { servername: host }
    const upstream = connectTls({ socket, ...name, host, ALPNProtocols: ['http/1.1'], ...(trust ? { ca: trust } : {}) })
    upstream.once('secureConnect', () => {
      upstream.off('error', fail)
      upstream.on('error', () => upstream.destroy())
      resolve(upstream)
    })
    const fail = (cause: Error) => {
      end('refused_certificate')
      upstream.destroy()
      const refusal = [
        'egress_tls_failed',
        `No trusted TLS connection to ${host}: ${cause.message}`,
        'Check the host.',
      ] as const
      reject(new EgressRefusal('refused_certificate', 502, ...refusal))
    }
    upstream.once('error', fail)
  })
}
