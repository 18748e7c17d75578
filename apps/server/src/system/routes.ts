import { createHash } from 'node:crypto'
import { operations } from '@svc/contract'
import { manifestJsonSchema } from '@svc/manifest'
import { answer, type Handled, handle, pageHeaders, problem } from '../kernel/http/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { type HealthOptions, readHealth } from './health.ts'
import { renderOpenApi } from './openapi-document.ts'
import { readReferenceAsset, referencePage } from './reference-page.ts'

export interface SystemOptions extends HealthOptions {
  readonly kernel: Kernel
  /** Known once the port is open. */
  readonly publicUrl: () => string
}

/** What the platform says about itself: health, figures, its API, the manifest's schemas. */
export function systemRoutes(options: SystemOptions): Handled[] {
  const { system } = operations
  const openapi = once(() => cacheable(renderOpenApi(options.version, options.publicUrl())))
  const schemas = once(() => renderSchemas(options.publicUrl()))

  return [
    handle(system.health, async () => {
      const health = await readHealth(options)
      return answer(health, health.ready ? {} : { status: 503, headers: { 'retry-after': '10' } })
    }),
    handle(system.openapi, () => openapi()),
    handle(system.metrics, () => options.kernel.metrics.render()),
    handle(system.docs, () => answer(referencePage, { headers: { ...pageHeaders } })),
    handle(system.docsAsset, async ({ params }) => {
      const { body, contentType } = await readReferenceAsset(params.file)
      return answer(body, { headers: { 'content-type': contentType, 'cache-control': 'public, max-age=3600' } })
    }),
    handle(system.schema, ({ params }) => {
      const schema = schemas().get(params.file)
      if (!schema) throw problem('not_found', { next: `One of: ${[...schemas().keys()].join(', ')}` })
      return schema
    }),
  ]
}

function renderSchemas(site: string) {
  const versions = { 'svc.schema.json': 'combined', 'svc.v1.schema.json': 1, 'svc.v2.schema.json': 2 } as const
  return new Map(
    Object.entries(versions).map(([file, version]) => [
      file,
      cacheable(JSON.stringify(manifestJsonSchema(version, { site }))),
    ]),
  )
}

/** Documents that never change while the server runs are rendered once, when they are first asked for. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function cacheable(document: string) {
  const etag = `"${createHash('sha256').update(document).digest('base64url').slice(0, 22)}"`
  return answer(document, { headers: { etag, 'cache-control': 'no-cache' } })
}
