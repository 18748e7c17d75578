import { type AuditParts, settleChain } from '../parts.ts'
import { listSequences, readChainHead, readEvents } from '../store/events.ts'
import { type LogQuery, readFilters } from './filters.ts'

export interface ForwardPage {
  /** The place in the chain that the page begins after; 0 for the first. */
  readonly after: number
  readonly limit: number
}

/** One page of a chain, oldest first. `next` is where the following one begins, when there is one. */
export async function readForward(parts: AuditParts, chainId: string, query: LogQuery, { after, limit }: ForwardPage) {
  const { sql } = parts.kernel.database
  const filters = readFilters(query)
  await settleChain(parts, chainId)
  const head = await readChainHead(sql, chainId)
  const bounds = { after, head: head?.sequence ?? 0, limit: limit + 1 }
  const found = await listSequences(sql, chainId, filters, bounds)
  const page = found.slice(0, limit)
  const events = page.length === 0 ? [] : await readEvents(sql, chainId, page)
  return { events, next: found.length > limit ? page.at(-1) : undefined }
}
