import { z } from 'zod'
import { operation } from './kernel/operation.ts'
import { instant } from './kernel/shapes.ts'

/** What is known of the world's models: a bundled snapshot, and what the operator fetches on top of it. */

const CatalogRefresh = z
  .object({
    at: instant,
    ok: z.boolean(),
    /** Why nothing was changed; null when it went well. */
    problem: z.string().nullable(),
    added: z.number().int(),
    changed: z.number().int(),
    /** Of those added or changed, the ones whose price begins with this refresh. */
    repriced: z.number().int(),
    /** No longer in the catalog: not offered any more, still served at their last price. */
    gone: z.number().int(),
    left_out: z.number().int(),
    /** The first few that were left out. */
    left_out_entries: z.array(z.object({ entry: z.string(), reason: z.string() })),
  })
  .meta({ id: 'CatalogRefresh', description: 'What came of a refresh of the model catalog.' })

export const ModelCatalog = z
  .object({
    /** Where it is fetched from, without what follows a question mark. */
    source: z.string(),
    schedule: z.enum(['off', 'daily']),
    /** The snapshot that counts where nothing was fetched. */
    bundled: z.string(),
    providers: z.number().int(),
    models: z.number().int(),
    refreshed_at: instant.nullable(),
    last_refresh: CatalogRefresh.nullable(),
  })
  .meta({ id: 'ModelCatalog', description: 'Where limits and prices of models come from, and how fresh they are.' })

export const getCatalog = operation({
  id: 'operator.catalog.get',
  at: 'GET /v1/operator/catalog',
  summary: 'How fresh limits and prices of models are, and what the last refresh changed',
  needs: 'operator',
  audit: 'request',
  returns: ModelCatalog,
})

export const refreshCatalog = operation({
  id: 'operator.catalog.refresh',
  at: 'POST /v1/operator/catalog/refresh',
  summary: 'Fetch limits and prices of models anew',
  description:
    'An entry that makes no sense is left out and counted; a document that makes none changes nothing. New prices count for calls that begin after the refresh. What the models file says counts before any of it.',
  needs: 'operator',
  audit: 'operator.catalog.refresh',
  returns: ModelCatalog,
  errors: ['catalog_unreachable', 'catalog_unusable'],
})
