import { type EventRecord, exportColumns } from '../event-record.ts'
import type { SignedCheckpoint } from './sign-checkpoint.ts'

/** How one format writes a page. A checkpoint goes with the last row, so that every row of a file is an event. */
export interface ExportFormat {
  readonly extension: 'csv' | 'jsonl'
  readonly contentType: string
  head(withCheckpoint: boolean): string
  row(event: EventRecord, checkpoint: { readonly signed: SignedCheckpoint | undefined } | undefined): string
}

const jsonl: ExportFormat = {
  extension: 'jsonl',
  contentType: 'application/x-ndjson',
  head: () => '',
  row: (event, checkpoint) =>
    `${JSON.stringify(checkpoint?.signed ? { ...event, checkpoint: checkpoint.signed } : event)}\n`,
}

const csv: ExportFormat = {
  extension: 'csv',
  contentType: 'text/csv; charset=utf-8',
  head: (withCheckpoint) => `${[...exportColumns, ...(withCheckpoint ? ['checkpoint'] : [])].join(',')}\r\n`,
  row(event, checkpoint) {
    const cells = exportColumns.map((column) => writeCell(column, event[column]))
    if (checkpoint) cells.push(writeCell('checkpoint', checkpoint.signed ?? null))
    return `${cells.join(',')}\r\n`
  },
}

export const exportFormats = { csv, jsonl } as const

/** Columns whose value may be any JSON; they are written as JSON, texts among them too. */
const documentColumns = new Set(['input_summary', 'output_summary', 'before', 'after', 'metadata', 'checkpoint'])

/** RFC 4180. Nothing between two commas is null; an empty text is written as two quotes. */
function writeCell(column: string, value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = documentColumns.has(column) ? JSON.stringify(value) : String(value)
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
