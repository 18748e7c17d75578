import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { operation } from '../kernel/operation.ts'
import { listParamNames, toTemplatePath } from '../kernel/path.ts'
import { listOperations } from '../operations.ts'
import { buildOpenApi } from './build-openapi.ts'

const Inner = z.object({ id: z.uuid() }).meta({ id: 'Inner' })
const Outer = z.object({ inner: Inner, list: z.array(Inner).optional() }).meta({ id: 'Outer' })

const read = operation({
  id: 'things.read',
  at: 'GET /v1/things/:thingId/:path{.+}',
  summary: 'Read a thing',
  needs: 'signed-in',
  audit: 'request',
  query: z.object({ must: z.string(), may: z.string().optional() }),
  returns: Outer,
  errors: ['feature_not_supported'],
})

type Document = {
  paths: Record<
    string,
    Record<string, { parameters: { name: string; required: boolean }[]; responses: object; security?: [] }>
  >
  components: { schemas: Record<string, { properties: Record<string, unknown> }> }
}

describe('the OpenAPI document', () => {
  const document = buildOpenApi([read], { version: '1', serverUrl: 'http://localhost' }) as Document

  test('writes named shapes once, as references', () => {
    expect(Object.keys(document.components.schemas)).toEqual(['Inner', 'Outer', 'Problem', 'ProtocolProblem'])
    expect(document.components.schemas.Outer?.properties.inner).toEqual({ $ref: '#/components/schemas/Inner' })
    expect(JSON.stringify(document)).not.toContain('$defs')
  })

  test('a pattern with braces of its own leaves nothing behind in a path', () => {
    expect(toTemplatePath('/v1/a/:file{[0-9a-f]{64}\\.[a-z]{3,4}}/:rest')).toBe('/v1/a/{file}/{rest}')
    expect(listParamNames('/v1/a/:file{[0-9a-f]{64}\\.[a-z]{3,4}}/:rest')).toEqual(['file', 'rest'])
  })

  test('describes path and query parameters', () => {
    const described = document.paths['/v1/things/{thingId}/{path}']?.get
    expect(described?.parameters.map(({ name, required }) => [name, required])).toEqual([
      ['thingId', true],
      ['path', true],
      ['must', true],
      ['may', false],
    ])
  })

  test('lists every status an operation answers with', () => {
    const described = document.paths['/v1/things/{thingId}/{path}']?.get
    expect(Object.keys(described?.responses ?? {})).toEqual(expect.arrayContaining(['200', '401', '403', '404', '501']))
  })

  test('has every operation of the contract', () => {
    const all = buildOpenApi(listOperations(), { version: '1', serverUrl: 'http://localhost' }) as Document
    const ids = Object.values(all.paths).flatMap((methods) =>
      Object.values(methods).map((row) => (row as never as { operationId: string }).operationId),
    )
    expect(ids.sort()).toEqual(
      listOperations()
        .map(({ id }) => id)
        .sort(),
    )
  })
})
