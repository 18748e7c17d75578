/** The state of a session built from its events, `@svc/sdk/session-state`. */
export {
  createSessionState,
  type SessionSnapshot,
  type SessionState,
  type StateMessage,
  type StatePart,
  type StateRequest,
} from './state/create-session-state.ts'
