import type { Sql } from 'postgres'
import type { Clock } from '../clock/index.ts'
import type { Publisher } from '../database/index.ts'
import type { Logger } from '../log/index.ts'
import { holdConnection } from './held-connection.ts'
import { CHANNEL, type Notice, publishInTransaction, publishNow, readNotice } from './publish.ts'
import {
  type Arriving,
  createSubscription,
  type Handler,
  type SubscribeOptions,
  type Subscription,
} from './subscription.ts'
import type { Topic } from './topic.ts'

export interface EventsOptions {
  sql: Sql
  log: Logger
  clock?: Clock
}

export interface Events {
  /** Every event published from now on, by any process, in the order of the commits. */
  subscribe<Payload>(topic: Topic<Payload>, handler: Handler<Payload>, options?: SubscribeOptions): () => void
  /** Outside a transaction. Inside one use `tx.publish(topic.event(payload))`. */
  publish<Payload>(topic: Topic<Payload>, payload: Payload): Promise<void>
  /** For `database.usePublisher`. */
  publisher: Publisher
  isConnected(): boolean
  stop(): Promise<void>
}

/** Resolves when this process listens: what is published after that reaches its subscribers. */
export async function startEvents({ sql, log, clock }: EventsOptions): Promise<Events> {
  const byTopic = new Map<string, Set<Subscription>>()
  const all = () => [...byTopic.values()].flatMap((set) => [...set])
  const tellAll = () => {
    for (const subscription of all()) subscription.tellGap()
  }

  function onNotification(text: string): void {
    const notice = parseNotice(text, log)
    const subscriptions = notice && byTopic.get(notice.topic)
    if (!notice || !subscriptions || subscriptions.size === 0) return
    const arriving = findPayload(notice, sql, log)
    for (const subscription of subscriptions) subscription.deliver(arriving)
  }

  let connectedBefore = false
  const connection = holdConnection({
    sql,
    name: 'events',
    log,
    ...(clock ? { clock } : {}),
    onNotification,
    // Told at the loss, so that nobody trusts a cache meanwhile, and again when events flow: what was cached in
    // between may be stale as well.
    onLost: tellAll,
    async onConnect(session) {
      await session.unsafe(`listen ${CHANNEL}`)
      if (connectedBefore) tellAll()
      connectedBefore = true
    },
  })
  await connection.connected()

  return {
    subscribe(topic, handler, options = {}) {
      const subscription = createSubscription(topic, handler, options, log)
      const set = byTopic.get(topic.name) ?? new Set()
      byTopic.set(topic.name, set.add(subscription))
      return () => {
        subscription.stop()
        set.delete(subscription)
      }
    },
    publish: (topic, payload) => publishNow(sql, topic.event(payload)),
    publisher: publishInTransaction,
    isConnected: connection.isConnected,
    async stop() {
      await connection.stop()
      for (const subscription of all()) subscription.stop()
      await Promise.all(all().map((subscription) => subscription.idle()))
    },
  }
}

function parseNotice(text: string, log: Logger): Notice | undefined {
  try {
    return readNotice(text)
  } catch (error) {
    log.warn('a notification on the event channel is not one of ours', { error })
    return undefined
  }
}

function findPayload(notice: Notice, sql: Sql, log: Logger): Arriving {
  if ('payload' in notice) return { value: notice.payload }
  return loadPayload(notice.id, sql).catch((error: unknown) => {
    log.error('the payload of an event could not be read', { topic: notice.topic, error })
    return undefined
  })
}

async function loadPayload(id: string, sql: Sql): Promise<{ value: unknown } | undefined> {
  const [row] = await sql<Array<{ payload: string }>>`select payload from svc.event_payloads where id = ${id}`
  return row ? { value: JSON.parse(row.payload) } : undefined
}
