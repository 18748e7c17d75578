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
  readonly stream: OpenStream
  /** Who reads it, as their credential was last looked at. */
  principal: Principal
  readonly cut: () => void
  /** Where it stands in the list; undefined once it has left. */
  at: number | undefined
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
  // No map: each table that a map leaves behind points to the next, so that a dead one among old objects would keep every
  // call since, whole, until the next large collection.
  const open: Held[] = []
  let isSweeping = false
  let sweeps = 0

  function sweepSoon(): void {
    if (isSweeping) return
    isSweeping = true
    clock.setTimer(sweepEveryMs, () => {
      isSweeping = false
      sweep()
      if (open.length > 0) sweepSoon()
    })
  }

  function sweep(): void {
    const nowMs = clock.nowMs()
    for (const { principal, cut } of [...open]) {
      if (principal.expiresAt && principal.expiresAt.getTime() <= nowMs) cut()
    }
    sweeps += 1
    if (sweeps % sweepsPerRecheck === 0) recheck(undefined)
  }

  function endUnless(
    isAllowed: (held: Held) => Promise<unknown>,
    held: Held,
    untilMs = clock.nowMs() + patienceMs,
  ): void {
    isAllowed(held).catch((error: unknown) => {
      const isRefused = Problem.isInstance(error) && error.status < 500
      if (held.at === undefined) return
      if (isRefused || clock.nowMs() >= untilMs) held.cut()
      else clock.setTimer(sweepEveryMs, () => endUnless(isAllowed, held, untilMs))
    })
  }

  /** A credential whose grants were only changed goes on as who it is now. */
  async function showAgain(held: Held): Promise<void> {
    const { request, operation, input } = held.stream
    const principal = await gate.authenticate(request)
    await gate.authorize(operation, principal, input)
    held.principal = principal
  }

  function recheck(accountId: string | undefined): void {
    for (const held of [...open]) {
      const { admission } = held.stream
      const concerns = accountId === undefined || (admission.accountId ?? accountId) === accountId
      if (!concerns) continue
      const { principal } = held
      endUnless(({ stream: { operation, input } }) => gate.authorize(operation, principal, input), held)
    }
  }

  function enter(held: Held): void {
    held.at = open.push(held) - 1
  }

  /** The last one takes its place. */
  function leave(held: Held): void {
    const { at } = held
    const last = open.at(-1)
    if (at === undefined || !last) return
    open.pop()
    if (last !== held) {
      open[at] = last
      last.at = at
    }
    held.at = undefined
  }

  return {
    watch(stream, outgoing) {
      const { socket } = stream.request.incoming
      const held: Held = {
        stream,
        principal: stream.admission.principal,
        cut: () => socket.destroy(),
        at: undefined,
      }
      const forget = () => {
        leave(held)
        outgoing.off('close', forget)
        socket.off('close', forget)
      }
      enter(held)
      // A connection that was taken off its response outlives it.
      outgoing.once('close', forget)
      socket.once('close', forget)
      sweepSoon()
    },

    endRevoked(credentialIds) {
      const named = credentialIds && new Set(credentialIds)
      for (const held of [...open]) {
        const { credentialId } = held.principal
        if (!named || (credentialId !== undefined && named.has(credentialId))) endUnless(showAgain, held)
      }
    },

    recheck,
  }
}
