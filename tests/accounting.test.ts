import { impliedErrors, listOperations, problems } from '@svc/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestPlatform } from './support/platform.ts'

/** Every operation is accounted for: a new one that forgets something fails here, by name. */

let platform: Awaited<ReturnType<typeof startTestPlatform>>
beforeAll(async () => {
  platform = await startTestPlatform()
})
afterAll(() => platform.stop())

const operations = listOperations()

describe('accounting', () => {
  test('lists every operation once', () => {
    const rows = operations.map(({ id, at, needs, audit }) => `${id.padEnd(24)} ${at.padEnd(44)} ${needs} / ${audit}`)
    console.log(`${operations.length} operations\n${rows.join('\n')}`)
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length)
    expect(new Set(operations.map(({ at }) => at.replace(/:\w+(\{[^}]*\})?/g, ':'))).size).toBe(operations.length)
  })

  test.each(operations.map((operation) => [operation.id, operation] as const))('%s', async (_id, operation) => {
    expect(operation.id).toMatch(/^[a-z][A-Za-z]*(\.[a-z][A-Za-z]*)+$/)
    expect(operation.summary.length).toBeGreaterThan(5)
    // A permission, or it says public; a public operation is never the reason of a semantic event by default.
    expect(operation.needs).not.toBe('')
    expect(operation.audit).toMatch(/^(none|request|[a-z_]+(\.[a-z_]+)+)$/)
    // Every declared code is in the table, and none is declared that follows anyway.
    for (const code of operation.errors) expect(problems[code]).toBeDefined()
    expect(new Set(operation.errors).size).toBe(operation.errors.length)
    for (const code of impliedErrors(operation)) expect(problems[code]).toBeDefined()
  })

  test('each that somebody known calls is in the audit log, but for inference, which has a log of its own', () => {
    const unrecorded = operations.filter(({ needs, audit }) => needs !== 'public' && audit === 'none')
    expect(unrecorded.map(({ at }) => at).filter((at) => !at.startsWith('POST /v1/llm/'))).toEqual([])
  })

  test('each is bound to a handler: no path of the contract is unknown to the server', async () => {
    for (const { method, path, id } of operations) {
      const concrete = path
        .replace(/:\w*Id(\{[^}]*\})?/g, '0190a1b2-0000-7000-8000-000000000000')
        .replace(/:\w+(\{[^}]*\})?/g, 'x')
      const response = await fetch(`${platform.url}${concrete}`, { method, redirect: 'manual' })
      const text = await response.text()
      expect([id, response.status]).not.toEqual([id, 405])
      expect([id, response.status, text.includes('"error":"Internal server error"')]).toEqual([
        id,
        response.status,
        false,
      ])
    }
  })

  test('each appears in the OpenAPI document', async () => {
    const document = (await (await fetch(`${platform.url}/v1/openapi.json`)).json()) as {
      paths: Record<string, Record<string, { operationId: string }>>
    }
    const described = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((row) => row.operationId),
    )
    expect(described.sort()).toEqual(operations.map(({ id }) => id).sort())
  })
})
