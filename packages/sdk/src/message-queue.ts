/** The message queue, `@svc/sdk/message-queue`: pure functions over the prompts of one session. */
export {
  claimNext,
  completeInFlight,
  createSessionQueue,
  editQueued,
  enqueue,
  failInFlight,
  type QueuedMessage,
  type QueuedMessageInput,
  removeQueued,
  reorderQueued,
  retryFailed,
  type SessionQueue,
} from './queue/message-queue.ts'
