import { compareDisplayKeys, compareText, type DisplayKey, readDisplayKey } from '../turns/compare-messages.ts'
import { firstText, isRecord, toList, toRecord, toText } from '../wire/read-value.ts'

/** A message as the events describe it. Kept as it came; the turn helpers accept it. */
export interface StateMessage {
  readonly info: { readonly id: string; readonly role: string; readonly [field: string]: unknown }
  readonly parts: readonly StatePart[]
}

/** A part as the events describe it. */
export interface StatePart {
  readonly id: string
  readonly type: string
  readonly [field: string]: unknown
}

/** A pending permission or question. */
export interface StateRequest {
  readonly id: string
  readonly [field: string]: unknown
}

/** What is known of a session. Parts that did not change are the same objects as before. */
export interface SessionSnapshot {
  readonly messages: readonly StateMessage[]
  readonly status: { readonly type: string; readonly [field: string]: unknown }
  readonly permissions: readonly StateRequest[]
  readonly questions: readonly StateRequest[]
  readonly todos: readonly unknown[]
  readonly diffs: readonly unknown[]
  /** The last error the session reported, until it works again. */
  readonly error: unknown
}

/** The state of one session, built from events. */
export interface SessionState {
  /** Takes one event; true when it changed something. Costs the same however long the turn already is. */
  apply(event: unknown): boolean
  /** Replaces all messages with a page read from the service. */
  load(messages: readonly unknown[]): void
  /** The state now. The same object until something changes. */
  snapshot(): SessionSnapshot
}

/** A message while it grows: parts in order of their ids, found by id. */
interface MessageEntry {
  readonly id: string
  key: DisplayKey
  info: StateMessage['info'] | undefined
  readonly parts: StatePart[]
  readonly placeOfPart: Map<string, number>
  view: StateMessage | undefined
}

const IDLE = { type: 'idle' } as const

/**
 * Builds the state of one session from its events. Events of other sessions, unknown events and malformed ones change
 * nothing. An event costs a few look-ups, never a walk over the turn; what changed is copied once per snapshot.
 *
 * @example
 * const state = createSessionState('ses_1')
 * openEventStream({ client, onEvent: (event) => state.apply(event) && render(state.snapshot()) })
 */
export function createSessionState(sessionID?: string): SessionState {
  let entries = new Map<string, MessageEntry>()
  let ordered: MessageEntry[] = []
  let messages: readonly StateMessage[] | undefined = []
  let rest: Omit<SessionSnapshot, 'messages'> = {
    status: IDLE,
    permissions: [],
    questions: [],
    todos: [],
    diffs: [],
    error: undefined,
  }
  let current: SessionSnapshot | undefined

  const touch = (entry: MessageEntry): true => {
    entry.view = undefined
    messages = undefined
    current = undefined
    return true
  }
  const set = (change: Partial<typeof rest>): true => {
    rest = { ...rest, ...change }
    current = undefined
    return true
  }
  const entryOf = (id: string): MessageEntry => {
    const known = entries.get(id)
    if (known) return known
    const entry: MessageEntry = {
      id,
      key: { id, rank: 2, createdMs: 0 },
      info: undefined,
      parts: [],
      placeOfPart: new Map(),
      view: undefined,
    }
    entries.set(id, entry)
    return entry
  }

  const updateMessage = (info: unknown): boolean => {
    if (!isMessageInfo(info)) return false
    const entry = entryOf(info.id)
    const isNew = entry.info === undefined
    entry.info = info
    if (isNew) {
      entry.key = readDisplayKey({ info })
      insertSorted(ordered, entry, (a, b) => compareDisplayKeys(a.key, b.key))
    }
    return touch(entry)
  }
  const removeMessage = (id: unknown): boolean => {
    const entry = entries.get(toText(id))
    if (entry === undefined) return false
    entries.delete(entry.id)
    ordered = ordered.filter((other) => other !== entry)
    return touch(entry)
  }
  const updatePart = (part: unknown): boolean => {
    const messageID = firstText(toRecord(part).messageID)
    if (messageID === undefined || !isPart(part)) return false
    const entry = entryOf(messageID)
    const place = entry.placeOfPart.get(part.id)
    if (place !== undefined) {
      entry.parts[place] = part
      return touch(entry)
    }
    const at = insertSorted(entry.parts, part, (a, b) => compareText(a.id, b.id))
    for (let index = at; index < entry.parts.length; index++) entry.placeOfPart.set(entry.parts[index]?.id ?? '', index)
    return touch(entry)
  }
  const appendToPart = ({ messageID, partID, field, delta }: Record<string, unknown>): boolean => {
    const entry = entries.get(toText(messageID))
    const place = entry?.placeOfPart.get(toText(partID))
    const part = place === undefined ? undefined : entry?.parts[place]
    const name = toText(field)
    if (!entry || place === undefined || !part || typeof delta !== 'string' || !Object.hasOwn(part, name)) return false
    const text = part[name]
    if (typeof text !== 'string' || name === 'id' || name === 'type') return false
    entry.parts[place] = { ...part, [name]: text + delta }
    return touch(entry)
  }
  const removePart = ({ messageID, partID }: Record<string, unknown>): boolean => {
    const entry = entries.get(toText(messageID))
    const place = entry?.placeOfPart.get(toText(partID))
    if (entry === undefined || place === undefined) return false
    entry.parts.splice(place, 1)
    entry.placeOfPart.delete(toText(partID))
    for (let index = place; index < entry.parts.length; index++) {
      entry.placeOfPart.set(entry.parts[index]?.id ?? '', index)
    }
    return touch(entry)
  }
  const addRequest = (list: 'permissions' | 'questions', request: unknown): boolean => {
    if (!isRequest(request)) return false
    return set({ [list]: [...rest[list].filter(({ id }) => id !== request.id), request] })
  }
  const dropRequest = (list: 'permissions' | 'questions', requestID: unknown): boolean => {
    const left = rest[list].filter(({ id }) => id !== requestID)
    return left.length < rest[list].length && set({ [list]: left })
  }

  const updateStatus = (status: SessionSnapshot['status']): true =>
    set(status.type === 'busy' ? { status, error: undefined } : { status })

  const applyKnown = (type: unknown, properties: Record<string, unknown>): boolean => {
    switch (type) {
      case 'message.updated':
        return updateMessage(properties.info)
      case 'message.removed':
        return removeMessage(properties.messageID)
      case 'message.part.updated':
        return updatePart(properties.part)
      case 'message.part.delta':
        return appendToPart(properties)
      case 'message.part.removed':
        return removePart(properties)
      case 'session.status':
        return isStatus(properties.status) && updateStatus(properties.status)
      case 'session.idle':
        return set({ status: IDLE })
      case 'session.error':
        return set({ error: properties.error })
      case 'session.diff':
        return set({ diffs: toList(properties.diff) })
      case 'todo.updated':
        return set({ todos: toList(properties.todos) })
      case 'permission.asked':
        return addRequest('permissions', properties)
      case 'permission.replied':
        return dropRequest('permissions', properties.requestID)
      case 'question.asked':
        return addRequest('questions', properties)
      case 'question.replied':
      case 'question.rejected':
        return dropRequest('questions', properties.requestID)
      default:
        return false
    }
  }

  return {
    apply(event) {
      const { type, properties: raw } = toRecord(event)
      const properties = toRecord(raw)
      const isOurs = sessionID === undefined || properties.sessionID === sessionID
      return isOurs && applyKnown(type, properties)
    },
    load(list) {
      entries = new Map()
      ordered = []
      for (const message of toList(list)) {
        const { info, parts } = toRecord(message)
        if (!updateMessage(info)) continue
        for (const part of toList(parts)) updatePart(isRecord(part) ? { messageID: toRecord(info).id, ...part } : part)
      }
      messages = undefined
      current = undefined
    },
    snapshot() {
      messages ??= ordered.flatMap((entry) => viewMessage(entry) ?? [])
      current ??= { messages, ...rest }
      return current
    },
  }
}

function viewMessage(entry: MessageEntry): StateMessage | undefined {
  if (entry.info === undefined) return undefined
  entry.view ??= { info: entry.info, parts: [...entry.parts] }
  return entry.view
}

/** Inserts at its place and gives the index; new things belong at the end, where it takes one comparison. */
function insertSorted<T>(list: T[], item: T, compare: (a: T, b: T) => number): number {
  let low = 0
  let high = list.length
  const last = list[high - 1]
  if (last !== undefined && compare(last, item) <= 0) low = high
  while (low < high) {
    const middle = (low + high) >>> 1
    const other = list[middle]
    if (other !== undefined && compare(other, item) <= 0) low = middle + 1
    else high = middle
  }
  list.splice(low, 0, item)
  return low
}

function isMessageInfo(value: unknown): value is StateMessage['info'] {
  return isRecord(value) && firstText(value.id) !== undefined && firstText(value.role) !== undefined
}

function isPart(value: unknown): value is StatePart {
  return isRecord(value) && firstText(value.id) !== undefined && firstText(value.type) !== undefined
}

function isRequest(value: unknown): value is StateRequest {
  return isRecord(value) && firstText(value.id) !== undefined
}

function isStatus(value: unknown): value is SessionSnapshot['status'] {
  return isRecord(value) && firstText(value.type) !== undefined
}
