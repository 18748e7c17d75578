import { describe, expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { type BodyOf, impliedErrors, operation, type ParamsOf, type QueryOf, type ResultOf } from './operation.ts'
import { bytes, events, nothing, redirect } from './payload.ts'

const base = { summary: 'For a test', needs: 'public', audit: 'none' } as const

describe('operation', () => {
  test('types of path, query, body and result come from the declaration', () => {
    const merge = operation({
      ...base,
      id: 'changeRequests.merge',
      at: 'POST /v1/projects/:projectId/files/:path{.+}',
      query: z.object({ dry: z.string().optional() }),
      body: z.object({ message: z.string() }),
      returns: z.object({ merged: z.boolean() }),
    })
    expectTypeOf<ParamsOf<typeof merge>>().toEqualTypeOf<{ readonly projectId: string; readonly path: string }>()
    expectTypeOf<QueryOf<typeof merge>>().toEqualTypeOf<{ dry?: string | undefined }>()
    expectTypeOf<BodyOf<typeof merge>>().toEqualTypeOf<{ message: string }>()
    expectTypeOf<ResultOf<typeof merge>>().toEqualTypeOf<{ merged: boolean }>()
    expect(merge).toMatchObject({ method: 'POST', path: '/v1/projects/:projectId/files/:path{.+}', status: 200 })
  })

  test('one name in two of path, query and body is refused when the contract loads', () => {
    const declare = () =>
      operation({
        ...base,
        id: 'test.twice',
        at: 'POST /v1/things/:name',
        body: z.object({ name: z.string() }),
        returns: nothing,
      })
    expect(declare).toThrow('test.twice: the name "name" stands in two of path, query and body')
  })

  test('streams and transfers have no deadline, documents do', () => {
    const at = 'GET /v1/x'
    expect(operation({ ...base, id: 'a.b', at, returns: z.string() }).deadlineMs).toBe(25_000)
    expect(operation({ ...base, id: 'a.b', at, returns: bytes('application/gzip') }).deadlineMs).toBeNull()
    expect(operation({ ...base, id: 'a.b', at, returns: events(z.string()) }).deadlineMs).toBeNull()
  })

  test('the status of success follows from what is returned', () => {
    const at = 'GET /v1/x'
    expect(operation({ ...base, id: 'a.b', at, returns: nothing }).status).toBe(204)
    expect(operation({ ...base, id: 'a.b', at, returns: redirect }).status).toBe(302)
    expect(operation({ ...base, id: 'a.b', at, returns: z.string(), status: 201 }).status).toBe(201)
  })

  test('codes that follow from the declaration need no mention', () => {
    const read = operation({ ...base, id: 'a.b', at: 'GET /v1/x', returns: z.string() })
    expect(impliedErrors(read)).not.toContain('unauthorized')
    const write = operation({
      ...base,
      needs: 'signed-in',
      id: 'a.b',
      at: 'POST /v1/x/:id',
      body: z.object({}),
      returns: z.string(),
    })
    expect(impliedErrors(write)).toEqual(
      expect.arrayContaining(['unauthorized', 'forbidden', 'not_found', 'malformed_json', 'idempotency_conflict']),
    )
  })
})
