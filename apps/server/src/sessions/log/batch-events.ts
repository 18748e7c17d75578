import type { RuntimeEvent } from '../../runtimes/index.ts'

/** Facts about the runtime itself that no reader of a session needs. */
const dropped =
  /^(server\.(connected|heartbeat)|plugin\.|catalog\.|integration\.|reference\.|installation\.|models-dev\.|sync$)/

export interface EventBatch {
  /** False for an event that is not kept. */
  add(event: RuntimeEvent): boolean
  take(): RuntimeEvent[]
  readonly size: number
  readonly sizeBytes: number
}

/**
 * Gathers events until they are numbered. Pieces of one text that follow each other become one piece; nothing else
 * changes place: pieces of different texts commute, and any other event ends the merging.
 */
export function createBatch(): EventBatch {
  let events: RuntimeEvent[] = []
  let sizeBytes = 0
  /** Where the last piece of each text stands. */
  const open = new Map<string, number>()

  return {
    get size() {
      return events.length
    },
    get sizeBytes() {
      return sizeBytes
    },
    add(event) {
      if (dropped.test(event.type)) return false
      const { properties } = event
      if (event.type !== 'message.part.delta' || typeof properties.delta !== 'string') {
        open.clear()
        events.push(event)
        sizeBytes += estimate(properties)
        return true
      }
      sizeBytes += properties.delta.length
      const key = `${properties.messageID}/${properties.partID}/${properties.field}`
      const at = open.get(key)
      const before = at === undefined ? undefined : events[at]
      if (at === undefined || !before) {
        open.set(key, events.length)
        events.push(event)
        return true
      }
      const delta = `${before.properties.delta}${properties.delta}`
      events[at] = { type: before.type, properties: { ...before.properties, delta } }
      return true
    },
    take() {
      const taken = events
      events = []
      sizeBytes = 0
      open.clear()
      return taken
    },
  }
}

/** Only the long fields count, and roughly: it bounds memory, it is no account. */
function estimate(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 8
  let size = 16
  for (const entry of Object.values(value)) size += estimate(entry)
  return size
}
