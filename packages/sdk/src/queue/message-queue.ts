/** A prompt that waits to be sent. */
export interface QueuedMessage {
  readonly id: string
  /** Stays the same over retries, so that the service runs the prompt once. */
  readonly clientMessageId: string
  readonly text: string
  readonly files?: readonly unknown[]
  readonly mentions?: readonly unknown[]
  readonly agent?: string
  readonly model?: { readonly providerID: string; readonly modelID: string }
  readonly variant?: string
  readonly command?: string
  readonly createdAt: number
  readonly attempts: number
  readonly lastError?: string
}

/** What a caller gives to queue a prompt; ids and times are the caller's. */
export type QueuedMessageInput = Omit<QueuedMessage, 'attempts' | 'lastError'>

/** The prompts of one session. Never changed in place: every function gives back a new state, or the same one. */
export interface SessionQueue {
  readonly pending: readonly QueuedMessage[]
  readonly failed: readonly QueuedMessage[]
  readonly inFlightId: string | null
  readonly inFlightIds?: readonly string[]
}

/**
 * An empty queue.
 *
 * @example
 * let queue = createSessionQueue()
 */
export function createSessionQueue(): SessionQueue {
  return { pending: [], failed: [], inFlightId: null }
}

/**
 * Puts a prompt at the end of the queue.
 *
 * @example
 * queue = enqueue(queue, { id: '1', clientMessageId: 'c1', text: 'Run the tests', createdAt: Date.now() })
 */
export function enqueue(state: SessionQueue, input: QueuedMessageInput): SessionQueue {
  return { ...state, pending: [...state.pending, { ...input, attempts: 0 }] }
}

/**
 * Takes the prompt at the head for sending; nothing while another one is in flight. The prompt stays at the head until
 * it completes or fails, so that a crash in between loses nothing.
 *
 * @example
 * const { state, claimed } = claimNext(queue)
 * if (claimed) await send(claimed)
 */
export function claimNext(state: SessionQueue): { readonly state: SessionQueue; readonly claimed?: QueuedMessage } {
  const [head, ...rest] = state.pending
  if (head === undefined || listInFlight(state).length > 0) return { state }
  const claimed = { ...head, attempts: head.attempts + 1 }
  return { state: { ...state, pending: [claimed, ...rest], inFlightId: claimed.id }, claimed }
}

/**
 * Removes what is in flight: it was sent.
 *
 * @example
 * queue = completeInFlight(queue)
 */
export function completeInFlight(state: SessionQueue): SessionQueue {
  const inFlight = listInFlight(state)
  if (inFlight.length === 0) return state
  const pending = state.pending.filter(({ id }) => !inFlight.includes(id))
  return { pending, failed: state.failed, inFlightId: null }
}

/**
 * Moves what is in flight to the failed ones; the next prompt can be claimed at once.
 *
 * @example
 * queue = failInFlight(queue, 'The service is not reachable')
 */
export function failInFlight(state: SessionQueue, error: string): SessionQueue {
  const inFlight = listInFlight(state)
  if (inFlight.length === 0) return state
  const lost = state.pending.filter(({ id }) => inFlight.includes(id)).map((item) => ({ ...item, lastError: error }))
  const pending = state.pending.filter(({ id }) => !inFlight.includes(id))
  return { pending, failed: [...state.failed, ...lost], inFlightId: null }
}

/**
 * Puts a failed prompt back at the end of the queue. Its attempts still count, its error is forgotten.
 *
 * @example
 * queue = retryFailed(queue, '1')
 */
export function retryFailed(state: SessionQueue, id: string): SessionQueue {
  const item = state.failed.find((failed) => failed.id === id)
  if (item === undefined) return state
  const { lastError: _forgotten, ...again } = item
  return { ...state, pending: [...state.pending, again], failed: state.failed.filter((failed) => failed !== item) }
}

/**
 * Takes a prompt out of the queue, waiting or failed. One in flight stays.
 *
 * @example
 * queue = removeQueued(queue, '1')
 */
export function removeQueued(state: SessionQueue, id: string): SessionQueue {
  const isKnown = [...state.pending, ...state.failed].some((item) => item.id === id)
  if (!isKnown || listInFlight(state).includes(id)) return state
  const keep = (item: QueuedMessage) => item.id !== id
  return { ...state, pending: state.pending.filter(keep), failed: state.failed.filter(keep) }
}

/**
 * Changes the text of a waiting prompt. One in flight stays as it was sent.
 *
 * @example
 * queue = editQueued(queue, '1', 'Run the unit tests')
 */
export function editQueued(state: SessionQueue, id: string, text: string): SessionQueue {
  const isWaiting = state.pending.some((item) => item.id === id)
  if (!isWaiting || listInFlight(state).includes(id)) return state
  return { ...state, pending: state.pending.map((item) => (item.id === id ? { ...item, text } : item)) }
}

/**
 * Moves a waiting prompt to another place. What is in flight keeps its place at the head.
 *
 * @example
 * queue = reorderQueued(queue, '3', 0)
 */
export function reorderQueued(state: SessionQueue, id: string, toIndex: number): SessionQueue {
  const inFlight = listInFlight(state)
  const item = state.pending.find((waiting) => waiting.id === id)
  if (item === undefined || inFlight.includes(id) || Number.isNaN(toIndex)) return state
  const others = state.pending.filter((waiting) => waiting !== item)
  const firstFree = others.filter((waiting) => inFlight.includes(waiting.id)).length
  const index = Math.min(Math.max(Math.trunc(toIndex), firstFree), others.length)
  return { ...state, pending: [...others.slice(0, index), item, ...others.slice(index)] }
}

function listInFlight({ inFlightId, inFlightIds = [] }: SessionQueue): readonly string[] {
  return inFlightId === null || inFlightIds.includes(inFlightId) ? inFlightIds : [inFlightId, ...inFlightIds]
}
