/** Event streams on their own, `@svc/sdk/event-stream`. */
export { createSSEStream, type SseStream, type SseStreamOptions } from './events/create-sse-stream.ts'
export {
  type ChatEvent,
  type HeartbeatGapEvent,
  heartbeatGapEvent,
  narrowChatEvent,
  type StreamEvent,
} from './events/narrow-chat-event.ts'
export { type EventStreamHandle, type EventStreamOptions, openEventStream } from './events/open-event-stream.ts'
export type { SseFrame } from './events/parse-sse.ts'
export type { EventStreamClient, EventStreamReply, ParkedStream, StreamTimers } from './events/run-event-stream.ts'
