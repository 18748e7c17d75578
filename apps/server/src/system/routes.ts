import { createHash } from 'node:crypto'
import { operations } from '@svc/contract'
import { manifestJsonSchema } from '@svc/manifest'
import { answer, type Handled, handle, pageHeaders, problem } from '../kernel/http/index.ts'
import type { Metrics } from '../kernel/metrics/index.ts'
import { type HealthOptions, readHealth } from './health.ts'
import { renderOpenApi } from './openapi-document.ts'
import { readReferenceAsset, referencePage } from './reference-page.ts'

export interface SystemOptions extends HealthOptions {
  readonly publicUrl: string
  readonly metrics: Metrics
}

/** What the platform says about itself: health, figures, its API, the manifest's schemas. */
export function systemRoutes(options: SystemOptions): Handled[] {
  const { system } = operations
  const openapi = cacheable(renderOpenApi(options.version, options.publicUrl))
  const schemas: Record<string, ReturnType<typeof cacheable>> = {
    'svc.schema.json': cacheable(JSON.stringify(manifestJsonSchema('combined', { site: options.publicUrl }))),
    'svc.v1.schema.json': cacheable(JSON.stringify(manifestJsonSchema(1, { site: options.publicUrl }))),
    'svc.v2.schema.json': cacheable(JSON.stringify(manifestJsonSchema(2, { site: options.publicUrl }))),
  }

  return [
    handle(system.health, async () => {
      const health = await readHealth(options)
      return answer(health, health.ready ? {} : { status: 503, headers: { 'retry-after': '10' } })
    }),
    handle(system.openapi, () => openapi),
    handle(system.metrics, () => options.metrics.render()),
    handle(system.docs, () => answer(referencePage, { headers: { ...pageHeaders } })),
    handle(system.docsAsset, async ({ params }) => {
      const { body, contentType } = await readReferenceAsset(params.file)
      return answer(body, { headers: { 'content-type': contentType, 'cache-control': 'public, max-age=3600' } })
    }),
    handle(system.schema, ({ params }) => {
      const schema = Object.hasOwn(schemas, params.file) ? schemas[params.file] : undefined
      if (!schema) throw problem('not_found', { next: `One of: ${Object.keys(schemas).join(', ')}` })
      return schema
    }),
    handle(system.home, () => '/docs'),
  ]
}

function cacheable(document: string) {
  const etag = `"${createHash('sha256').update(document).digest('base64url').slice(0, 22)}"`
  return answer(document, { headers: { etag, 'cache-control': 'no-cache' } })
}
