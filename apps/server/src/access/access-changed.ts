import { z } from 'zod'
import { defineTopic } from '../kernel/events/index.ts'

/**
 * Something that decisions in this account rest on has changed. The database itself publishes it, in the transaction of
 * the change and for whoever makes it (migration 0008), so that no writer can forget to.
 */
export const accessChanged = defineTopic('access.changed', z.object({ account_id: z.string() }))
