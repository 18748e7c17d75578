import type { FileHandle } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { isCode } from './open-inside.ts'

/** Streams an open file, or the one range that was asked for, and closes it. */
export async function sendFile(
  handle: FileHandle,
  mimeType: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { size, mtime } = await handle.stat()
  const range = readRange(request.headers.range, size)
  if (range === 'unsatisfiable') {
    await handle.close()
    response.writeHead(416, { 'Content-Range': `bytes */${size}` }).end()
    return
  }
  const start = range?.start ?? 0
  const length = (range?.end ?? size - 1) - start + 1
  response.writeHead(range ? 206 : 200, {
    'Content-Type': mimeType,
    'Content-Length': length,
    'Accept-Ranges': 'bytes',
    'Last-Modified': mtime.toUTCString(),
    'Cache-Control': 'no-cache',
    'X-Content-Type-Options': 'nosniff',
    ...(range ? { 'Content-Range': `bytes ${start}-${start + length - 1}/${size}` } : {}),
  })
  if (length === 0 || request.method === 'HEAD') {
    await handle.close()
    response.end()
    return
  }
  const content = handle.createReadStream({ start, end: start + length - 1, highWaterMark: 262_144 })
  await pipeline(content, response).catch((error: unknown) => {
    // The reader went away; there is nobody left to tell.
    if (!isCode(error, 'ERR_STREAM_PREMATURE_CLOSE')) throw error
  })
}

function readRange(header: string | undefined, size: number) {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1)
  return start > end || start >= size ? ('unsatisfiable' as const) : { start, end }
}
