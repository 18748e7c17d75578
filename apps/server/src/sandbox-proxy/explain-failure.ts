import { problems } from '@svc/contract'
import { type Problem, problem } from '../kernel/http/index.ts'
import { daemonPort, type Target } from './read-target.ts'

/** Where a request into a machine came to its end. */
export type Hop = 'control_plane' | 'provider_ingress' | 'daemon' | 'app_port'

export function failAt(
  hop: Hop,
  { port }: Pick<Target, 'port'>,
  code: 'sandbox_not_ready' | 'sandbox_unreachable' | 'sandbox_timeout',
  cause?: unknown,
  said = sentence(hop, port),
): Problem {
  const status = problems[code].status
  return problem(code, {
    ...said,
    headers: { 'x-svc-proxy-hop': hop, 'cache-control': 'no-store' },
    extras: { port, status, hop, target_status: null, ...(hop === 'control_plane' ? { retry: true } : {}) },
    ...(cause === undefined ? {} : { cause }),
  })
}

/** Told apart from a machine that does not answer: another try here never helps. */
export function failElsewhere(target: Pick<Target, 'port'>): Problem {
  return failAt('provider_ingress', target, 'sandbox_unreachable', undefined, {
    say: 'This session’s sandbox is on another server of this instance.',
    next: 'Send the request to that server; a load balancer in front of several servers must.',
  })
}

function sentence(hop: Hop, port: number): { say: string; next: string } {
  switch (hop) {
    case 'control_plane':
      return { say: 'This session’s sandbox is not running.', next: 'Start the session, then try again.' }
    case 'provider_ingress':
      return {
        say: 'The sandbox has no way in at the moment.',
        next: 'Try again; if it stays so, restart the session.',
      }
    case 'daemon':
      return { say: 'The sandbox does not answer.', next: 'Try again; if it stays so, restart the session.' }
    case 'app_port':
      return {
        say: `Nothing in the sandbox listens on port ${port}.`,
        next: 'Start the program that should answer there, then try again.',
      }
  }
}

/** A connection that was refused at the application's port is the application's; anything else is the machine's. */
export function failConnecting(error: unknown, target: Target): Problem {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
  if (target.port === daemonPort) return failAt('daemon', target, 'sandbox_unreachable', error)
  // `HPE_…`: what answered there does not speak HTTP.
  const isApp = /^(?:ECONNREFUSED|ECONNRESET|port_refused|HPE_\w+)$/.test(code)
  return failAt(isApp ? 'app_port' : 'provider_ingress', target, 'sandbox_unreachable', error)
}
