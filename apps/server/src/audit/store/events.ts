import type { Sql } from '../../kernel/database/index.ts'
import { type EventRecord, eventColumns, type StoredEvent, toRecord } from '../event-record.ts'
import type { Position } from '../log/cursor.ts'
import type { Filters } from '../log/filters.ts'

const columns = ['event_id', 'occurred_at', ...eventColumns].map((column) => `e.${column}`).join(', ')
const sealColumns = 's.sequence, s.previous_hash, s.hash'

type SealedRow = StoredEvent & { readonly sequence: string; readonly previous_hash: string; readonly hash: string }

/** Where a page begins and how long it is. */
export interface PageStart {
  readonly after: Position | undefined
  readonly limit: number
}

/** A search reads at most this many events for one page: no index finds a part of a text. */
const searchedPerPage = 100_000

/** A page of the log, newest first. Every event of the chain has been sealed before. */
export async function listEvents(
  sql: Sql,
  chainId: string,
  { q, ...filters }: Filters,
  page: PageStart,
  scanLimit = searchedPerPage,
): Promise<EventRecord[]> {
  const where = createConditions(chainId, filters, page.after)
  // The page is found first and its seals are fetched after, so that no plan starts from the seals.
  const text = `
    with page as materialized (
      select e.event_id, e.occurred_at from ${q === undefined ? 'svc.audit_events' : newest(where, scanLimit)} e
      where ${q === undefined ? where.text() : matchSearch(q, where.bind)}
      order by e.occurred_at desc, e.event_id desc limit ${where.bind(page.limit)}
    )
    select ${columns}, ${sealColumns}
    from page join svc.audit_events e using (event_id) join svc.audit_seals s using (event_id)
    order by page.occurred_at desc, page.event_id desc`
  return (await runFresh(sql, text, where.values)).map(readRow)
}

/** The last event that a search read, when it stopped there with more to read. */
export async function findScanEnd(
  sql: Sql,
  chainId: string,
  { q: _q, ...filters }: Filters,
  after: Position | undefined,
  scanLimit = searchedPerPage,
): Promise<{ event_id: string; occurred_at: string } | undefined> {
  const where = createConditions(chainId, filters, after)
  const text = `
    select e.event_id, e.occurred_at from svc.audit_events e where ${where.text()}
    order by e.occurred_at desc, e.event_id desc offset ${where.bind(scanLimit - 1)} limit 2`
  const [end, more] = await sql.unsafe<{ event_id: string; occurred_at: Date }[]>(text, where.values)
  return end && more && { event_id: end.event_id, occurred_at: end.occurred_at.toISOString() }
}

function newest(where: Conditions, limit: number): string {
  return `(select event_id, occurred_at, ${searched.join(', ')} from svc.audit_events e where ${where.text()}
    order by occurred_at desc, event_id desc limit ${where.bind(limit)})`
}

/** How much of the chain one statement looks at: bounded, however few events a filter finds. */
const sequencesPerRead = 200_000

/**
 * Events by their place in the chain, oldest first: only where they are, so that a page is counted before it is read.
 * Looks from `after` up to `head`.
 */
export async function listSequences(
  sql: Sql,
  chainId: string,
  filters: Filters,
  { after, head, limit }: { after: number; head: number; limit: number },
): Promise<number[]> {
  const found: number[] = []
  for (let from = after; from < head && found.length < limit; from += sequencesPerRead) {
    const where = createConditions(chainId, filters, undefined)
    const isFiltered = where.count() > 1
    const events = isFiltered ? 'join svc.audit_events e using (event_id)' : ''
    const chain = where.bind(chainId)
    const text = `
      select s.sequence from svc.audit_seals s ${events}
      where s.account_id = ${chain}::uuid and s.sequence > ${where.bind(from)}::bigint
        and s.sequence <= ${where.bind(Math.min(head, from + sequencesPerRead))}::bigint
        and ${isFiltered ? where.text() : '$1::uuid is not null'}
      order by s.sequence limit ${where.bind(limit - found.length)}`
    const rows = await sql.unsafe<{ sequence: string }[]>(text, where.values)
    for (const { sequence } of rows) found.push(Number(sequence))
  }
  return found
}

export async function readEvents(sql: Sql, chainId: string, sequences: readonly number[]): Promise<EventRecord[]> {
  const text = `select ${columns}, ${sealColumns}
    from svc.audit_seals s join svc.audit_events e using (event_id)
    where s.account_id = $1::uuid and s.sequence = any($2::bigint[]) order by s.sequence`
  return (await runFresh(sql, text, [chainId, [...sequences]])).map(readRow)
}

export async function findSequence(sql: Sql, chainId: string, eventId: string): Promise<number | undefined> {
  const [row] = await sql<{ sequence: string }[]>`
    select sequence from svc.audit_seals where event_id = ${eventId} and account_id = ${chainId}`
  return row && Number(row.sequence)
}

export async function readChainHead(
  sql: Sql,
  chainId: string,
): Promise<{ sequence: number; hash: string } | undefined> {
  const [row] = await sql<{ sequence: string; hash: string }[]>`
    select sequence, hash from svc.audit_seals where account_id = ${chainId} order by sequence desc limit 1`
  return row && { sequence: Number(row.sequence), hash: row.hash }
}

export async function findSealedEvent(sql: Sql, eventId: string): Promise<EventRecord | undefined> {
  const text = `select ${columns}, ${sealColumns}
    from svc.audit_events e join svc.audit_seals s using (event_id) where e.event_id = $1::uuid`
  const [row] = await runFresh(sql, text, [eventId])
  return row && readRow(row)
}

/** Not prepared: which index is right depends on the values, and a kept plan would forget them. */
async function runFresh(sql: Sql, text: string, values: Bound[]): Promise<SealedRow[]> {
  return sql.unsafe<SealedRow[]>(text, values)
}

function readRow({ sequence, previous_hash, hash, ...event }: SealedRow): EventRecord {
  return toRecord(event, { sequence: Number(sequence), previous_hash, hash })
}

type Bound = string | number | number[]
type Bind = (value: Bound) => string

type Conditions = ReturnType<typeof createConditions>

function createConditions(chainId: string, filters: Filters, after: Position | undefined) {
  const values: Bound[] = []
  const parts: string[] = []
  const bind: Bind = (value) => `$${values.push(value)}`
  const add = (part: () => string) => void parts.push(part())
  add(() => `e.chain_id = ${bind(chainId)}::uuid`)
  for (const [name, value] of Object.entries(filters)) {
    const write = writers[name]
    if (write && typeof value === 'string') add(() => write(value, bind))
  }
  if (after) {
    const { occurredAt, eventId } = after
    add(() => `(e.occurred_at, e.event_id) < (${bind(occurredAt)}::timestamptz, ${bind(eventId)}::uuid)`)
  }
  return { values, bind, text: () => parts.join(' and '), count: () => parts.length }
}

const equals = (column: string, type: 'text' | 'uuid') => (value: string, bind: Bind) =>
  `e.${column} = ${bind(value)}::${type}`

const searched = [
  'action',
  'resource_type',
  'resource_id',
  'project_id',
  'session_id',
  'request_id',
  'trace_id',
  'correlation_id',
]

const writers: Readonly<Record<string, (value: string, bind: Bind) => string>> = {
  action: (value, bind) =>
    value.includes('.') && !value.endsWith('.')
      ? `(e.action = ${bind(value)}::text or e.action like ${bind(`${escapeLike(value)}.%`)}::text)`
      : `e.action like ${bind(`${escapeLike(value)}%`)}::text`,
  actor: equals('actor_user_id', 'text'),
  actor_type: equals('actor_type', 'text'),
  project_id: equals('project_id', 'uuid'),
  session_id: equals('session_id', 'uuid'),
  source: (value, bind) => {
    const given = bind(value)
    return `(e.source = ${given}::text or e.client_reported_source = ${given}::text)`
  },
  phase: equals('phase', 'text'),
  // Said twice for everything but success, so that the index of what went wrong is found.
  outcome: (value, bind) =>
    `e.outcome = ${bind(value)}::text${value === 'success' ? '' : ` and e.outcome <> 'success'`}`,
  request_id: equals('request_id', 'text'),
  correlation_id: equals('correlation_id', 'text'),
  resource_type: (value, bind) => `e.resource_type like ${bind(`${escapeLike(value)}%`)}::text`,
  since: (value, bind) => `e.occurred_at >= ${bind(value)}::timestamptz`,
  until: (value, bind) => `e.occurred_at <= ${bind(value)}::timestamptz`,
  q: matchSearch,
}

function matchSearch(value: string, bind: Bind): string {
  const pattern = bind(`%${escapeLike(value)}%`)
  return `(${searched.map((column) => `e.${column}::text ilike ${pattern}::text`).join(' or ')})`
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}
