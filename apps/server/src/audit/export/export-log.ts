import type { operations, QueryOf } from '@svc/contract'
import { type Answer, answer } from '../../kernel/http/index.ts'
import type { EventRecord } from '../event-record.ts'
import { readCursor, refuseCursor, writeCursor } from '../log/cursor.ts'
import { isUnfiltered, readFilters } from '../log/filters.ts'
import { type AuditParts, settleChain } from '../parts.ts'
import { findSequence, listSequences, readChainHead, readEvents } from '../store/events.ts'
import type { SignedCheckpoint } from './sign-checkpoint.ts'
import { type ExportFormat, exportFormats } from './write-rows.ts'

type ExportQuery = QueryOf<typeof operations.audit.exportLog>

const maxRows = 10_000
const rowsPerRead = 500

/**
 * One page of a chain, in the order of its sequence: that never changes and never fills up behind a reader, so pages
 * read one after the other hold every event once. Streamed: memory holds a few hundred rows at a time.
 */
export async function exportLog(
  parts: AuditParts,
  chainId: string,
  query: ExportQuery,
): Promise<Answer<AsyncIterable<Uint8Array>>> {
  const { format: formatName = 'csv', ...logQuery } = query
  const format = exportFormats[formatName]
  const filters = readFilters(logQuery)
  const position = readCursor(query.cursor)
  const limit = query.limit ?? maxRows
  await settleChain(parts, chainId)

  const { sql } = parts.kernel.database
  const after = position ? await findSequence(sql, chainId, position.eventId) : 0
  if (after === undefined) throw refuseCursor()
  const head = await readChainHead(sql, chainId)
  const found = await listSequences(sql, chainId, filters, { after, head: head?.sequence ?? 0, limit: limit + 1 })
  const sequences = found.slice(0, limit)
  const isCapped = found.length > limit
  const [last] = await readEvents(sql, chainId, sequences.slice(-1))
  const isWhole = isUnfiltered(filters)
  const checkpoint = isWhole && last ? await signPage(parts, chainId, sequences, last, head ?? last) : undefined

  return answer(toBytes(writePage(parts, chainId, sequences, format, { isWhole, checkpoint })), {
    headers: {
      'content-type': format.contentType,
      'content-disposition': `attachment; filename="${fileName(parts, format)}"`,
      'x-audit-row-count': String(sequences.length),
      'x-audit-capped': String(isCapped),
      'x-audit-complete': String(!isCapped),
      'x-audit-next-cursor': isCapped && last ? writeCursor(last) : '',
    },
  })
}

async function signPage(
  { kernel, signer }: AuditParts,
  chainId: string,
  sequences: readonly number[],
  last: EventRecord,
  head: { readonly sequence: number; readonly hash: string },
): Promise<SignedCheckpoint> {
  return signer.sign({
    account_id: chainId,
    first_sequence: sequences[0] ?? last.sequence,
    last_sequence: last.sequence,
    count: sequences.length,
    hash: last.hash,
    head_sequence: head.sequence,
    head_hash: head.hash,
    issued_at: kernel.clock.now().toISOString(),
  })
}

interface Page {
  readonly isWhole: boolean
  readonly checkpoint: SignedCheckpoint | undefined
}

async function* writePage(
  { kernel }: AuditParts,
  chainId: string,
  sequences: readonly number[],
  format: ExportFormat,
  { isWhole, checkpoint }: Page,
): AsyncGenerator<string> {
  yield format.head(isWhole)
  for (let start = 0; start < sequences.length; start += rowsPerRead) {
    const events = await readEvents(kernel.database.sql, chainId, sequences.slice(start, start + rowsPerRead))
    const rows = events.map((event) => {
      const signed = event.sequence === checkpoint?.last_sequence ? checkpoint : undefined
      return format.row(event, isWhole ? { signed } : undefined)
    })
    yield rows.join('')
  }
}

async function* toBytes(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) if (text !== '') yield Buffer.from(text)
}

function fileName({ kernel }: AuditParts, format: ExportFormat): string {
  return `audit-${kernel.clock.now().toISOString().slice(0, 10)}.${format.extension}`
}
