import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { operation } from '../kernel/operation.ts'
import { multipart } from '../kernel/payload.ts'
import { renderClient } from './render-client.ts'

const Thing = z
  .object({
    id: z.string(),
    kind: z.enum(['a', 'b']),
    note: z.string().nullable(),
    extra: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'Thing', description: 'A thing.' })

const base = { summary: 'For a test', needs: 'project.secret.write', audit: 'thing.write' } as const

describe('the client’s view of the contract', () => {
  const text = renderClient([
    operation({ ...base, id: 'things.read', at: 'GET /v1/things/:thingId', returns: Thing }),
    operation({
      ...base,
      id: 'things.list',
      at: 'GET /v1/things',
      query: z.object({ q: z.string().optional() }),
      returns: z.array(Thing),
    }),
    operation({
      ...base,
      id: 'things.upload',
      at: 'POST /v1/things',
      body: multipart(z.object({}), ['file']),
      returns: Thing,
    }),
  ])

  test('is flat types and a table of method and path', () => {
    expect(text).toContain('kind: "a" | "b"')
    expect(text).toContain('note: string | null')
    expect(text).toContain('result: Thing[]')
    expect(text).toContain('"things.read": "GET /v1/things/:thingId",')
    expect(text).toContain('body: { file: Blob }')
  })

  test('names neither permissions nor audit events nor a schema library', () => {
    expect(text).not.toContain('project.secret.write')
    expect(text).not.toContain('thing.write')
    expect(text).not.toMatch(/zod/i)
  })
})
