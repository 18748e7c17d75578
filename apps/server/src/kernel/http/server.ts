// What puts the server together, for the composition alone: capabilities need none of it.
export { createClientIpReader } from './client-ip.ts'
export { createApp } from './create-app.ts'
export { createDeadlines, type Deadlines } from './deadlines.ts'
export { createHostCheck } from './host-check.ts'
export { createOpenStreams, type OpenStreams } from './open-streams.ts'
export type { PassOptions } from './pass.ts'
export { createReplay } from './replay.ts'
export { type HttpServer, serveHttp } from './serve.ts'
