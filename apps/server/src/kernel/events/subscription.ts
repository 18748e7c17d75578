import type { Logger } from '../log/index.ts'
import type { Topic } from './topic.ts'

export type Handler<Payload> = (payload: Payload) => void | Promise<void>

export interface SubscribeOptions {
  /** Events may have been missed: the connection was lost, or this subscriber fell too far behind. Drop your caches. */
  onGap?: () => void | Promise<void>
  /** Events that may wait for this subscriber before it is told of a gap instead. */
  maxWaiting?: number
}

/** A payload that may still be on its way from the table; undefined when it is no longer there. */
export type Arriving = Promise<{ value: unknown } | undefined> | { value: unknown }

export interface Subscription {
  deliver(arriving: Arriving): void
  tellGap(): void
  stop(): void
  /** Resolves when nothing waits and nothing runs. */
  idle(): Promise<void>
}

const GAP = Symbol('gap')
const DEFAULT_MAX_WAITING = 10_000

/** Hands events to one handler, one at a time and in order. It shares nothing with other subscriptions. */
export function createSubscription<Payload>(
  topic: Topic<Payload>,
  handler: Handler<Payload>,
  { onGap, maxWaiting = DEFAULT_MAX_WAITING }: SubscribeOptions,
  log: Logger,
): Subscription {
  let waiting: Array<Arriving | typeof GAP> = []
  let running: Promise<void> | undefined
  let stopped = false

  function push(entry: Arriving | typeof GAP): void {
    if (stopped) return
    // Everything that waits is covered by the gap, so a subscriber that is far behind starts fresh.
    if (entry === GAP || waiting.length >= maxWaiting) waiting = [GAP]
    else waiting.push(entry)
    running ??= drain().finally(() => {
      running = undefined
    })
  }

  async function drain(): Promise<void> {
    // Handlers start in a later turn, so a slow synchronous one never holds up the delivery to others.
    await new Promise((resolve) => setImmediate(resolve))
    for (let entry = waiting.shift(); entry !== undefined && !stopped; entry = waiting.shift()) {
      try {
        await handle(entry)
      } catch (error) {
        log.error('an event subscriber failed', { topic: topic.name, error })
      }
    }
  }

  async function handle(entry: Arriving | typeof GAP): Promise<void> {
    const arrived = entry === GAP ? undefined : await entry
    if (arrived) return handler(topic.read(arrived.value))
    await onGap?.()
  }

  return {
    deliver: push,
    tellGap: () => push(GAP),
    stop() {
      stopped = true
      waiting = []
    },
    async idle() {
      while (running) await running
    },
  }
}
