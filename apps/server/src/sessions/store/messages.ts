import { and, asc, desc, eq, inArray, lt, sql } from 'drizzle-orm'
import { sessionMessages, sessionParts } from '../schema.ts'
import type { Db } from './sessions.ts'

export type Document = Readonly<Record<string, unknown>>

export interface StoredMessage {
  readonly info: Document
  readonly parts: readonly Document[]
}

/** Messages and parts that changed, by their keys; null for one that is gone. */
export interface MessageChanges {
  readonly messages: ReadonlyMap<string, Document | null>
  /** Keys are `messageId/partId`. */
  readonly parts: ReadonlyMap<string, Document | null>
}

export async function findParts(
  db: Db,
  sessionId: string,
  keys: readonly { messageId: string; partId: string }[],
): Promise<Map<string, Document>> {
  if (keys.length === 0) return new Map()
  const rows = await db
    .select()
    .from(sessionParts)
    .where(
      and(
        eq(sessionParts.sessionId, sessionId),
        inArray(sessionParts.partId, [...new Set(keys.map(({ partId }) => partId))]),
      ),
    )
  return new Map(rows.map((row) => [`${row.messageId}/${row.partId}`, JSON.parse(row.data) as Document]))
}

export async function writeChanges(db: Db, sessionId: string, changes: MessageChanges): Promise<void> {
  const gone = [...changes.messages].flatMap(([messageId, info]) => (info === null ? [messageId] : []))
  if (gone.length > 0) {
    const isGone = { messages: inArray(sessionMessages.messageId, gone), parts: inArray(sessionParts.messageId, gone) }
    await db.delete(sessionMessages).where(and(eq(sessionMessages.sessionId, sessionId), isGone.messages))
    await db.delete(sessionParts).where(and(eq(sessionParts.sessionId, sessionId), isGone.parts))
  }
  const messages = [...changes.messages].flatMap(([messageId, info]) =>
    info === null
      ? []
      : [{ sessionId, messageId, conversationId: String(info.sessionID ?? ''), data: JSON.stringify(info) }],
  )
  if (messages.length > 0) {
    await db
      .insert(sessionMessages)
      .values(messages)
      .onConflictDoUpdate({
        target: [sessionMessages.sessionId, sessionMessages.messageId],
        set: { data: sql`excluded.data` },
      })
  }
  await writeParts(db, sessionId, changes.parts)
}

async function writeParts(db: Db, sessionId: string, parts: MessageChanges['parts']): Promise<void> {
  const split = (key: string) => {
    const [messageId = '', partId = ''] = key.split('/')
    return { messageId, partId }
  }
  for (const [key, part] of parts) {
    if (part !== null) continue
    const { messageId, partId } = split(key)
    await db
      .delete(sessionParts)
      .where(
        and(
          eq(sessionParts.sessionId, sessionId),
          eq(sessionParts.messageId, messageId),
          eq(sessionParts.partId, partId),
        ),
      )
  }
  const rows = [...parts].flatMap(([key, part]) =>
    part === null ? [] : [{ sessionId, ...split(key), data: JSON.stringify(part) }],
  )
  if (rows.length === 0) return
  await db
    .insert(sessionParts)
    .values(rows)
    .onConflictDoUpdate({
      target: [sessionParts.sessionId, sessionParts.messageId, sessionParts.partId],
      set: { data: sql`excluded.data` },
    })
}

/** The last `limit` messages of a conversation before a message, oldest first. */
export async function listMessages(
  db: Db,
  sessionId: string,
  page: { conversationId: string; limit: number; before: string | undefined },
): Promise<StoredMessage[]> {
  const rows = await db
    .select()
    .from(sessionMessages)
    .where(
      and(
        eq(sessionMessages.sessionId, sessionId),
        eq(sessionMessages.conversationId, page.conversationId),
        page.before === undefined ? undefined : lt(sessionMessages.messageId, page.before),
      ),
    )
    .orderBy(desc(sessionMessages.messageId))
    .limit(page.limit)
  if (rows.length === 0) return []
  const ids = rows.map(({ messageId }) => messageId)
  const parts = await db
    .select()
    .from(sessionParts)
    .where(and(eq(sessionParts.sessionId, sessionId), inArray(sessionParts.messageId, ids)))
    .orderBy(asc(sessionParts.partId))
  const byMessage = groupParts(parts)
  return rows
    .reverse()
    .map(({ messageId, data }) => ({ info: JSON.parse(data) as Document, parts: byMessage.get(messageId) ?? [] }))
}

function groupParts(rows: readonly { messageId: string; data: string }[]): Map<string, Document[]> {
  const grouped = new Map<string, Document[]>()
  for (const { messageId, data } of rows) {
    const list = grouped.get(messageId) ?? []
    list.push(JSON.parse(data) as Document)
    grouped.set(messageId, list)
  }
  return grouped
}

export async function countMessages(db: Db, sessionId: string, conversationId: string): Promise<number> {
  const [row] = await db
    .select({ rows: sql<number>`count(*)::int` })
    .from(sessionMessages)
    .where(and(eq(sessionMessages.sessionId, sessionId), eq(sessionMessages.conversationId, conversationId)))
  return row?.rows ?? 0
}

/** The newest message id of a conversation. */
export async function findNewestId(db: Db, sessionId: string, conversationId: string): Promise<string | undefined> {
  const [row] = await db
    .select({ messageId: sessionMessages.messageId })
    .from(sessionMessages)
    .where(and(eq(sessionMessages.sessionId, sessionId), eq(sessionMessages.conversationId, conversationId)))
    .orderBy(desc(sessionMessages.messageId))
    .limit(1)
  return row?.messageId
}
