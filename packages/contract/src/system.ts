import { z } from 'zod'
import { operation } from './kernel/operation.ts'
import { bytes, text } from './kernel/payload.ts'

/** What the platform says about itself. */

export const Part = z
  .object({
    name: z.string(),
    status: z.enum(['ok', 'degraded', 'down', 'missing']),
    detail: z.string().optional(),
    next: z.string().optional(),
  })
  .meta({ id: 'Part', description: 'One part of the platform, how it is and what to do about it.' })

export const Health = z
  .object({
    status: z.enum(['ok', 'starting', 'degraded']),
    live: z.boolean(),
    ready: z.boolean(),
    version: z.string(),
    uptime_seconds: z.number(),
    parts: z.record(z.string(), z.enum(['ok', 'down'])),
    details: z.array(Part),
  })
  .meta({ id: 'Health', description: 'Whether the platform runs, takes work, and how each part is.' })

export const health = operation({
  id: 'system.health',
  at: 'GET /v1/health',
  summary: 'Whether the platform is live and ready, part by part',
  description:
    'Answers 200 while the platform takes work and 503 while it starts, drains or cannot reach its database.',
  needs: 'public',
  audit: 'none',
  returns: Health,
  errors: ['unavailable'],
})

export const openapi = operation({
  id: 'system.openapi',
  at: 'GET /v1/openapi.json',
  summary: 'This API as an OpenAPI 3.1 document',
  needs: 'public',
  audit: 'none',
  returns: text('application/json'),
})

export const metrics = operation({
  id: 'system.metrics',
  at: 'GET /metrics',
  summary: 'Figures in the Prometheus text format',
  needs: 'public',
  audit: 'none',
  returns: text('text/plain'),
})

export const docs = operation({
  id: 'system.docs',
  at: 'GET /docs',
  summary: 'The API reference as a page',
  needs: 'public',
  audit: 'none',
  returns: text('text/html'),
})

export const docsAsset = operation({
  id: 'system.docsAsset',
  at: 'GET /docs/:file{[a-z0-9.-]+}',
  summary: 'A script or stylesheet of the API reference page',
  needs: 'public',
  audit: 'none',
  returns: bytes('application/octet-stream'),
  errors: ['not_found'],
})

export const schema = operation({
  id: 'system.schema',
  at: 'GET /schema/:file{[a-z0-9.-]+}',
  summary: 'A published JSON Schema of the manifest',
  description: 'One of `svc.schema.json`, `svc.v1.schema.json`, `svc.v2.schema.json`.',
  needs: 'public',
  audit: 'none',
  returns: text('application/schema+json'),
  errors: ['not_found'],
})
