import { z } from 'zod'
import { defineTopic } from '../kernel/events/index.ts'

/** A session got another state; whoever waits for it looks again. */
export const sessionChanged = defineTopic(
  'session.changed',
  z.object({ session_id: z.string(), project_id: z.string(), status: z.string() }),
)

/** A session's log has grown to this number. */
export const sessionLogged = defineTopic('session.logged', z.object({ session_id: z.string(), seq: z.number() }))

/** A session has something to deliver. */
export const sessionPrompted = defineTopic('session.prompted', z.object({ session_id: z.string() }))
