import { createClientIpReader } from './client-ip.ts'
import { createApp } from './create-app.ts'
import { createDeadlines } from './deadlines.ts'
import type { Finished } from './finished.ts'
import { closedGate } from './gate.ts'
import type { Handled } from './handle.ts'
import { createHostCheck } from './host-check.ts'
import type { PassOptions } from './pass.ts'
import { serveHttp } from './serve.ts'

/** A real server on a free loopback port with the given handlers, for tests. */
export async function serveForTest(handlers: readonly Handled[], overrides: Partial<PassOptions> = {}) {
  const finished: Finished[] = []
  const deadlines = createDeadlines(20)
  const app = createApp(handlers, {
    gate: closedGate,
    deadlines,
    readClientIp: createClientIpReader([]),
    isKnownHost: createHostCheck([]),
    validateResponses: true,
    onFinished: (entry) => finished.push(entry),
    ...overrides,
  })
  const http = await serveHttp({ app, host: '127.0.0.1', port: 0 })
  return {
    url: `http://127.0.0.1:${http.port}`,
    port: http.port,
    finished,
    http,
    async stop() {
      deadlines.stop()
      await http.drain(1_000)
    },
  }
}
