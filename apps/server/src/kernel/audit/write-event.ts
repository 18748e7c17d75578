import { randomUUID } from 'node:crypto'
import type { ExtractTablesWithRelations } from 'drizzle-orm'
import type { NodePgQueryResultHKT } from 'drizzle-orm/node-postgres'
import type { PgDatabase } from 'drizzle-orm/pg-core'
import type { Actor } from '../actor.ts'
import { auditEvents } from './schema.ts'

type AuditRow = typeof auditEvents.$inferInsert

/** What happened. Who did it and in which request comes from the actor; any field here wins over the actor's. */
export type AuditEventInput = Partial<Omit<AuditRow, 'eventId'>> & { readonly action: string }

type Empty = Record<string, never>
type Writer = Pick<PgDatabase<NodePgQueryResultHKT, Empty, ExtractTablesWithRelations<Empty>>, 'insert'>

/** Writes with the caller's transaction, so the event stands exactly when the change it describes stands. */
export async function writeEvent(db: Writer, actor: Actor, event: AuditEventInput): Promise<string> {
  const eventId = randomUUID()
  await db.insert(auditEvents).values({
    accountId: actor.accountId,
    projectId: actor.projectId,
    sessionId: actor.sessionId,
    actorUserId: actor.userId,
    actorType: actor.type,
    agentId: actor.agentId,
    agentName: actor.agentName,
    initiatorActorType: actor.initiatorType,
    initiatorActorId: actor.initiatorId,
    source: actor.source,
    clientReportedSource: actor.clientReportedSource,
    requestId: actor.requestId,
    traceId: actor.traceId,
    correlationId: actor.correlationId,
    ip: actor.ip,
    userAgent: actor.userAgent,
    ...event,
    eventId,
  })
  return eventId
}
