import { type Answer, answer } from '../../kernel/http/index.ts'
import type { Parts } from '../parts.ts'
import { type CostsCall, listCosts } from './list-session-costs.ts'

const maxRows = 10_000
const columns = [
  'session_id',
  'project_id',
  'project_name',
  'owner_id',
  'owner_type',
  'owner_name',
  'owner_email',
  'status',
  'created_at',
  'updated_at',
  'last_activity_at',
  'llm_cost',
  'llm_svc_cost',
  'llm_provider_cost',
  'compute_cost',
  'total_cost',
  'request_count',
  'error_count',
  'input_tokens',
  'output_tokens',
  'cached_tokens',
  'cache_write_tokens',
  'model_count',
  'compute_seconds',
] as const

/** What sessions have cost, for a spreadsheet. */
export async function exportCosts(parts: Parts, call: CostsCall): Promise<Answer<string>> {
  const { sessions, total } = await listCosts(parts, call, maxRows)
  const rows = sessions.map((row) => columns.map((column) => writeCell(row[column])).join(','))
  const day = parts.kernel.clock.now().toISOString().slice(0, 10)
  return answer([columns.join(','), ...rows, ''].join('\r\n'), {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="session-costs-${day}.csv"`,
      'x-total-count': String(total),
    },
  })
}

/** RFC 4180. A text that a spreadsheet would take for a formula is written so that it does not. */
function writeCell(value: string | number | null): string {
  if (value === null) return ''
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value)
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
