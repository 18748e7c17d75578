import type { Transform } from 'node:stream'
import type { Target } from './target.ts'

/** A sandbox, as the proxy knows it: by the socket it came through. */
export interface EgressMachine {
  readonly sandboxId: string
  readonly projectId: string
  readonly sessionId?: string
}

/** One request inside a terminated TLS connection, before it leaves. */
export interface EgressRequest {
  readonly machine: EgressMachine
  readonly target: Target
  readonly method: string
  /** Path and query as sent. */
  readonly path: string
  /** Names and values in turn, as sent, without the ones that belong to the connection. */
  readonly rawHeaders: readonly string[]
}

export type EgressDecision =
  | {
      readonly kind: 'send'
      readonly path: string
      readonly rawHeaders: readonly string[]
      /** What the request's body passes through; its length may change. */
      readonly requestBody?: Transform
      /** What the answer's body passes through. The answer is then asked for without compression. */
      readonly responseBody?: Transform
      /** What the answer's headers become. */
      readonly responseHeaders?: (rawHeaders: readonly string[]) => readonly string[]
    }
  | { readonly kind: 'refuse'; readonly reason: string }

/**
 * Puts secrets in place of their handles outside the sandbox. Without one, no TLS connection is ever opened: what a
 * sandbox says to a host over TLS is between the two.
 */
export interface Substitution {
  /** Whether connections of this machine to this host are opened. Asked once per connection; it must be quick. */
  terminates(machine: EgressMachine, target: Target): boolean | Promise<boolean>
  /** Asked for every request of an opened connection. */
  decide(request: EgressRequest): Promise<EgressDecision>
}
