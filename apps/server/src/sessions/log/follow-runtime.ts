import { repeat } from '../../kernel/jobs/repeat.ts'
import type { RuntimeEvent } from '../../runtimes/index.ts'
import type { Running } from '../lifecycle/running.ts'
import type { Parts } from '../parts.ts'
import { firstAnswerMs } from '../settings/at-work.ts'
import { createBatch } from './batch-events.ts'
import { reconcile } from './reconcile.ts'
import { storeMessages } from './store-messages.ts'
import { createTurnWatch } from './watch-turn.ts'
import { logEvents } from './write-log.ts'

export interface Follower {
  /** Resolves when nothing the runtime says from now on is missed, or when it was stopped. */
  readonly connected: Promise<void>
  /** Resolves when everything the runtime said is in the log. */
  stop(): Promise<void>
}

export interface FollowerHooks {
  readonly onIdle: () => void
  /** The runtime has not answered for a minute. */
  readonly onLost: (why: string) => void
}

const batchMs = 50
const maxBatchEvents = 500
const maxBatchBytes = 1024 * 1024
const storeMs = 1_000
const reconnectMs = 250
const lostMs = 60_000
const recheckMs = 20_000

/**
 * Brings what a runtime says into the session's log, from now until it is stopped. When the stream breaks it is opened
 * again, and what was missed meanwhile is made up from the runtime's own messages.
 */
export function followRuntime(parts: Parts, running: Running, hooks: FollowerHooks): Follower {
  const { clock, log } = parts.kernel
  const { sessionId } = running.row
  const ending = new AbortController()
  const batch = createBatch()
  const watch = createTurnWatch(parts, running)
  let connect: (() => void) | undefined
  const connected = new Promise<void>((resolve) => {
    connect = resolve
  })
  let failingSinceMs: number | undefined
  let heardAtMs = clock.nowMs()
  let flushing: Promise<void> = Promise.resolve()
  let timer: { cancel(): void } | undefined
  let storing: { cancel(): void } | undefined

  /** In order, one after the other; a failure is the stream's, which then begins anew and with it what comes after. */
  function flush(): Promise<void> {
    timer?.cancel()
    timer = undefined
    const events = batch.take()
    flushing = flushing
      .catch(() => undefined)
      .then(async () => {
        if (events.length === 0) return
        await logEvents(parts, sessionId, events)
        storing ??= clock.setTimer(storeMs, () => {
          storing = undefined
          storeQuietly()
        })
      })
    return flushing
  }

  function storeQuietly(): void {
    storeMessages(parts, sessionId).catch((error: unknown) =>
      log.warn('messages of a session could not be stored yet', { session_id: sessionId, error }),
    )
  }

  /** A turn whose end was not told, for whatever reason, is not open for ever. */
  const rechecking = repeat({ name: 'the look at a silent turn', everyMs: recheckMs, log, clock }, async () => {
    if (clock.nowMs() - heardAtMs < recheckMs) return
    await lookAtTurn()
  })

  async function lookAtTurn(): Promise<void> {
    if (!ending.signal.aborted && (await watch.recheck())) hooks.onIdle()
  }

  async function take(event: RuntimeEvent): Promise<void> {
    heardAtMs = clock.nowMs()
    if (!batch.add(event)) return
    const isTurning = watch.isTurning(event)
    if (isTurning || batch.size >= maxBatchEvents || batch.sizeBytes >= maxBatchBytes) await flush()
    else timer ??= clock.setTimer(batchMs, () => void flush().catch(() => ending.signal.aborted))
    if (await watch.note(event)) hooks.onIdle()
  }

  async function readStream(isFirst: boolean): Promise<void> {
    // A signal of its own: what listens to it goes with the connection.
    const signal = AbortSignal.any([ending.signal])
    const stream = running.runtime.events(running.send, signal)[Symbol.asyncIterator]()
    let next = await stream.next()
    // From here on nothing is missed; what was said before is in the runtime's messages.
    const missed = await reconcile(parts, running)
    for (const event of missed) await take(event)
    await flush()
    failingSinceMs = undefined
    connect?.()
    if (!isFirst) await lookAtTurn()
    // What was too young to be judged just now.
    if (!isFirst) clock.setTimer(firstAnswerMs, () => void lookAtTurn().catch(() => ending.signal.aborted))
    while (!next.done) {
      await take(next.value)
      next = await stream.next()
    }
  }

  async function loop(): Promise<void> {
    for (let isFirst = true; !ending.signal.aborted; isFirst = false) {
      try {
        await readStream(isFirst)
      } catch (error) {
        if (!ending.signal.aborted) log.debug('the stream of a runtime broke', { session_id: sessionId, error })
      }
      failingSinceMs ??= clock.nowMs()
      if (!ending.signal.aborted && clock.nowMs() - failingSinceMs > lostMs) {
        hooks.onLost('The agent runtime no longer answers.')
        return
      }
      if (!ending.signal.aborted) await clock.sleep(reconnectMs, ending.signal)
    }
  }

  const looping = loop()
  return {
    connected: Promise.race([connected, looping]),
    async stop() {
      ending.abort()
      await Promise.all([looping, rechecking.stop()])
      timer?.cancel()
      storing?.cancel()
      await flush().catch((error: unknown) =>
        log.warn('the last events of a session were not stored', { session_id: sessionId, error }),
      )
      storeQuietly()
    },
  }
}
