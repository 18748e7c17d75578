import { problem } from '../../../kernel/http/index.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { createOutbound, type GuardedResponse, OutboundError } from '../../../kernel/outbound/index.ts'
import { tryParse } from '../../wire/json.ts'
import { type CatalogDocument, readDocument } from './read-document.ts'

const usualLimits = { timeoutMs: 15_000, maxBytes: 16 * 1024 * 1024 }
const maxRedirects = 3

export interface CatalogPlace {
  readonly config: Pick<Kernel['config'], 'modelCatalogUrl' | 'allowPrivateHosts'>
  readonly outbound: Pick<Kernel['outbound'], 'guardedFetch'>
}

/** The configured catalog, read and checked; refused with a reason when it cannot be had or makes no sense. */
export async function fetchDocument(place: CatalogPlace, limits = usualLimits): Promise<CatalogDocument> {
  const answer = await fetchBytes(place, limits)
  if (answer.status !== 200) {
    throw unusable(`${new URL(answer.url).host} answered with status ${answer.status}`)
  }
  const document = tryParse(answer.text())
  if (document === undefined) throw unusable('what came is no JSON, or not all of it')
  const read = await readDocument(document)
  if (typeof read === 'string') throw unusable(lowerFirst(read).replace(/\.$/, ''))
  return read
}

/** Where the operator points may lie inside; where that place points on may not. */
async function fetchBytes({ config, outbound }: CatalogPlace, limits: typeof usualLimits): Promise<GuardedResponse> {
  const source = new URL(config.modelCatalogUrl)
  const first = createOutbound({ allowPrivate: [...config.allowPrivateHosts, source.hostname] })
  const asked = { ...limits, headers: { accept: 'application/json' } }
  try {
    const answer = await first.guardedFetch(source, { ...asked, maxRedirects: 0 })
    const location = answer.status >= 300 && answer.status < 400 ? answer.headers.location : undefined
    if (location === undefined) return answer
    const next = URL.canParse(location, source.href) ? new URL(location, source) : undefined
    if (!next || (source.protocol === 'https:' && next.protocol !== 'https:')) {
      throw unusable('it leads to an address that is not encrypted, or none')
    }
    return await outbound.guardedFetch(next, { ...asked, maxRedirects })
  } catch (error) {
    if (!OutboundError.isInstance(error)) throw error
    if (error.code === 'outbound_too_large') throw unusable(`it is larger than ${limits.maxBytes / 1024 / 1024} MiB`)
    throw problem('catalog_unreachable', {
      say: `The model catalog could not be fetched: ${error.message} Nothing was changed.`,
      cause: error,
    })
  } finally {
    await first.stop()
  }
}

function unusable(why: string) {
  return problem('catalog_unusable', { say: `The model catalog cannot be used: ${why}. Nothing was changed.` })
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1)
}
