import type { ServerResponse } from 'node:http'
import type { AnyOperation } from '@svc/contract'
import type { Clock } from '../clock/index.ts'
import type { Principal } from '../principal.ts'
import type { Admission, Gate, ParsedInput } from './gate.ts'
import { Problem } from './problem.ts'
import type { RequestFacts } from './request-facts.ts'

/** An answer without a deadline that is under way: events, a transfer, a connection that was handed on. */
export interface OpenStream {
  readonly request: RequestFacts
  readonly operation: AnyOperation
  readonly admission: Admission
  readonly input: ParsedInput
}

export interface OpenStreams {
  /** Watches an answer until it or its connection ends. */
  watch(stream: OpenStream, outgoing: ServerResponse): void
  /** The callers of these credentials, without ids all of them, must show again that theirs is good, or are cut. */
  endRevoked(credentialIds: readonly string[] | undefined): void
  /** Cuts the streams about this account, or about any, that their callers may no longer open. */
  recheck(accountId: string | undefined): void
}

interface Held {
  /** Who reads it, as their credential was last looked at. */
  principal: Principal
  readonly cut: () => void
}

/** How long a stream may outlive its credential. */
const sweepEveryMs = 1_000
/** Every how many sweeps each caller's permissions are asked for again: an assignment may have run out meanwhile. */
const sweepsPerRecheck = 15
/** How long a stream stays while nobody can say whether it may: the time of a database's restart. */
const patienceMs = 10_000

/**
 * Who may open a stream is decided when it opens; it may stay open for hours. So it is cut as soon as its credential is
 * revoked or runs out or its caller loses the permission, and the reader learns the reason when it connects again. Where
 * the answer cannot be found out for a while the stream is cut as well.
 */
export function createOpenStreams(gate: Gate, clock: Pick<Clock, 'nowMs' | 'setTimer'>): OpenStreams {
  const open = new Map<OpenStream, Held>()
  let isSweeping = false
  let sweeps = 0

  function sweepSoon(): void {
    if (isSweeping) return
    isSweeping = true
    clock.setTimer(sweepEveryMs, () => {
      isSweeping = false
      sweep()
      if (open.size > 0) sweepSoon()
    })
  }

  function sweep(): void {
    const nowMs = clock.nowMs()
    for (const { principal, cut } of open.values()) {
      if (principal.expiresAt && principal.expiresAt.getTime() <= nowMs) cut()
    }
    sweeps += 1
    if (sweeps % sweepsPerRecheck === 0) recheck(undefined)
  }

  function endUnless(
    isAllowed: (stream: OpenStream) => Promise<unknown>,
    stream: OpenStream,
    untilMs = clock.nowMs() + patienceMs,
  ): void {
    isAllowed(stream).catch((error: unknown) => {
      const held = open.get(stream)
      const isRefused = Problem.isInstance(error) && error.status < 500
      if (!held) return
      if (isRefused || clock.nowMs() >= untilMs) held.cut()
      else clock.setTimer(sweepEveryMs, () => endUnless(isAllowed, stream, untilMs))
    })
  }

  /** A credential whose grants were only changed goes on as who it is now. */
  function showAgain(held: Held): (stream: OpenStream) => Promise<void> {
    return async ({ request, operation, input }) => {
      const principal = await gate.authenticate(request)
      await gate.authorize(operation, principal, input)
      held.principal = principal
    }
  }

  function recheck(accountId: string | undefined): void {
    for (const [stream, { principal }] of open) {
      const { admission } = stream
      const concerns = accountId === undefined || (admission.accountId ?? accountId) === accountId
      if (!concerns) continue
      endUnless(({ operation, input }) => gate.authorize(operation, principal, input), stream)
    }
  }

  return {
    watch(stream, outgoing) {
      const { socket } = stream.request.incoming
      const forget = () => {
        open.delete(stream)
        outgoing.off('close', forget)
        socket.off('close', forget)
      }
      open.set(stream, { principal: stream.admission.principal, cut: () => socket.destroy() })
      // A connection that was taken off its response outlives it.
      outgoing.once('close', forget)
      socket.once('close', forget)
      sweepSoon()
    },

    endRevoked(credentialIds) {
      const named = credentialIds && new Set(credentialIds)
      for (const [stream, held] of open) {
        const { credentialId } = held.principal
        if (!named || (credentialId !== undefined && named.has(credentialId))) endUnless(showAgain(held), stream)
      }
    },

    recheck,
  }
}
