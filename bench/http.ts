import { randomUUID } from 'node:crypto'
import { openSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { getRequestListener } from '@hono/node-server'
import { operation } from '@svc/contract'
import { Hono } from 'hono'
import { z } from 'zod'
import { closedGate, handle } from '../apps/server/src/kernel/http/index.ts'
import {
  createApp,
  createClientIpReader,
  createDeadlines,
  createHostCheck,
  serveHttp,
} from '../apps/server/src/kernel/http/server.ts'
import { createLineWriter, createLogger } from '../apps/server/src/kernel/log/index.ts'
import { createMetrics } from '../apps/server/src/kernel/metrics/index.ts'
import { measureRate } from './support/measure-rate.ts'
import { alternate, formatTable } from './support/rounds.ts'
import { type Side, serveSide, startSide } from './support/sides.ts'

/**
 * A trivial GET and a validated JSON POST through the contract kernel and the full pass, beside a bare Hono route and
 * raw node:http. All three send the same headers and write the same log line.
 * Bounds: at least 0.6 of bare Hono, at least 0.4 of raw node:http.
 */

const Input = z.object({
  name: z.string().min(1).max(255),
  count: z.number().int().min(0),
  tags: z.array(z.string()).max(10),
})
const body = JSON.stringify({ name: 'bench', count: 3, tags: ['a', 'b'] })
const sink = createLineWriter(openSync('/dev/null', 'w'))
const logger = createLogger({ writer: sink })

const servers = { kernel: startKernel, 'bare Hono': startHono, 'node:http': startNode }

if (process.env.SVC_BENCH_SIDE) await serveSide(servers)

export async function run(): Promise<void> {
  const sides = await Promise.all(Object.keys(servers).map((name) => startSide(fileURLToPath(import.meta.url), name)))
  const requests = 8_000
  const rows: string[][] = []
  for (const kind of ['GET', 'POST'] as const) {
    const cpu = await readCpu(sides)
    const rates = await alternate(5, sides, (side) => measureRate({ port: side.port, requests, ...requestOf(kind) }))
    const spent = (await readCpu(sides)).map((total, index) => (total - (cpu[index] ?? 0)) / (6 * requests))
    const [kernel = 0, hono = 1, node = 1] = rates
    const shown = rates.map((rate, index) => `${Math.round(rate)}/s ${(spent[index] ?? 0).toFixed(0)} µs`)
    rows.push([kind, ...shown, ratio(kernel, hono, 0.6), ratio(kernel, node, 0.4)])
  }
  const bounds = ['of Hono (>= 0.6)', 'of node:http (>= 0.4)']
  console.log('requests per second and server CPU per request, median of 5 alternated rounds')
  console.log(formatTable(['request', ...Object.keys(servers), ...bounds], rows))
  for (const side of sides) await side.stop()
}

const readCpu = (sides: readonly Side[]) => Promise.all(sides.map((side) => side.cpuMicros()))

function requestOf(kind: 'GET' | 'POST') {
  if (kind === 'GET') return { method: 'GET', path: '/v1/ping' }
  return { method: 'POST', path: '/v1/things', body }
}

function ratio(ours: number, theirs: number, bound: number): string {
  const value = ours / theirs
  return `${value.toFixed(2)} ${value >= bound ? 'ok' : 'BELOW'}`
}

async function startKernel(): Promise<number> {
  const base = { summary: 'bench', needs: 'public', audit: 'none' } as const
  const ping = operation({ ...base, id: 'bench.ping', at: 'GET /v1/ping', returns: z.object({ ok: z.boolean() }) })
  const create = operation({
    ...base,
    id: 'bench.create',
    at: 'POST /v1/things',
    body: Input,
    returns: z.object({ name: z.string(), count: z.number() }),
  })
  const metrics = createMetrics()
  const deadlines = createDeadlines()
  const app = createApp(
    [handle(ping, () => ({ ok: true })), handle(create, async ({ body }) => ({ name: body.name, count: body.count }))],
    {
      gate: closedGate,
      deadlines,
      readClientIp: createClientIpReader([]),
      isKnownHost: createHostCheck([]),
      validateResponses: false,
      onFinished: ({ request, status, durationMs }) => {
        metrics.countRequest(request.operation.id, status, durationMs)
        logLine(request.id, request.operation.method, request.operation.path, status, durationMs)
      },
    },
  )
  const http = await serveHttp({ app, host: '127.0.0.1', port: 0 })
  return http.port
}

function logLine(requestId: string, method: string, route: string, status: number, durationMs: number): void {
  logger.access({ requestId, method, route, status, durationMs })
}

/** The headers that the kernel sends, so that no side wins by sending less. */
function sameHeaders(requestId: string): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cache-control': 'no-store',
    'access-control-allow-origin': '*',
    'access-control-expose-headers':
      'X-Request-Id, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Next-Cursor, X-Audit-Row-Count, X-Audit-Capped, X-Audit-Complete, X-Audit-Next-Cursor, traceparent, ETag, Location, Idempotency-Replayed',
    'x-request-id': requestId,
    traceparent: `00-${requestId.replaceAll('-', '')}-00f067aa0ba902b7-01`,
    'content-type': 'application/json; charset=utf-8',
  }
}

async function startHono(): Promise<number> {
  const app = new Hono()
  app.get('/v1/ping', () => {
    const startedAtMs = performance.now()
    const id = randomUUID()
    logLine(id, 'GET', '/v1/ping', 200, performance.now() - startedAtMs)
    return new Response('{"ok":true}', { headers: sameHeaders(id) })
  })
  app.post('/v1/things', async (context) => {
    const startedAtMs = performance.now()
    const id = randomUUID()
    const input = Input.parse(await context.req.json())
    logLine(id, 'POST', '/v1/things', 200, performance.now() - startedAtMs)
    return new Response(JSON.stringify({ name: input.name, count: input.count }), { headers: sameHeaders(id) })
  })
  return listen(createServer(getRequestListener(app.fetch)))
}

async function startNode(): Promise<number> {
  const server = createServer((incoming, outgoing) => {
    const startedAtMs = performance.now()
    const id = randomUUID()
    const send = (text: string) => {
      logLine(id, incoming.method ?? '', incoming.url ?? '', 200, performance.now() - startedAtMs)
      outgoing.writeHead(200, { ...sameHeaders(id), 'content-length': Buffer.byteLength(text) })
      outgoing.end(text)
    }
    if (incoming.method === 'GET') return send('{"ok":true}')
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const input = Input.parse(JSON.parse(Buffer.concat(chunks).toString()))
      send(JSON.stringify({ name: input.name, count: input.count }))
    })
  })
  return listen(server)
}

async function listen(server: Server): Promise<number> {
  server.keepAliveTimeout = 65_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
