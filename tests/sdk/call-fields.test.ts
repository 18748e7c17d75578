import { listOperations } from '@svc/contract'
import { expect, test } from 'vitest'
import { parseCalls } from '../../packages/sdk/src/client/parse-calls.ts'

/** The client's table says which field each argument becomes; the contract says which fields there are. */

const operations = new Map(
  listOperations().map((operation) => [
    `${operation.method} ${operation.path.replace(/:\w+(\{.*?\})?/g, ':').replace('/v1/', '')}`,
    operation,
  ]),
)

test('every field that a call of the client sends is one that its operation takes', () => {
  const unknown: string[] = []
  for (const { path, method, route, fields } of parseCalls()) {
    const operation = operations.get(`${method} ${route}`)
    const isRead = method === 'GET' || method === 'DELETE'
    const taken = isRead ? operation?.query : operation?.body
    for (const field of fields) {
      if (taken === undefined) unknown.push(`${path.join('.')}: ${field}, but there is no ${isRead ? 'query' : 'body'}`)
      else if (/^\w/.test(field) && 'shape' in taken && !(field in Object(taken.shape))) {
        unknown.push(`${path.join('.')}: ${field}`)
      }
    }
    if (fields.length === 0 && taken !== undefined) unknown.push(`${path.join('.')}: its input cannot be given`)
  }
  expect(unknown).toEqual([])
})
