import type { Running } from './running.ts'

/** The sessions whose machines this process runs. */
export interface LiveSessions {
  /** Brings a session up that waits for it, and delivers what waits in it. Does not wait; safe to repeat. */
  wake(sessionId: string): void
  /** Delivers what waits, when the session runs. */
  deliver(sessionId: string): void
  find(sessionId: string): Running | undefined
  /** Sessions whose machines this process is just ending: news of their end need no further work. */
  readonly ending: Set<string>
  /** Stops following a machine, and waits until everything it said is in the log. */
  detach(sessionId: string): Promise<void>
  /** Waits for a boot that is under way, however it ends. */
  settled(sessionId: string): Promise<void>
  /** Told when this process stops and streams must end. */
  onStop(listener: () => void): () => void
  isStopping(): boolean
  /** Leaves everything as it is, for the next start to find. */
  stop(): Promise<void>
}
