import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { dirname, relative } from 'node:path'
import { refuse, sendError, sendJson } from '../http/reply.ts'
import { parseUrl } from '../http/serve.ts'
import { withFileErrors } from './file-errors.ts'
import { mimeTypeOf } from './mime-types.ts'
import { openFile } from './open-inside.ts'
import type { Roots } from './roots.ts'
import { sendFile } from './send-file.ts'

const maxPageBytes = 4 * 1024 * 1024

/**
 * Port 3211: the workspace's files as pages. `/open?path=/workspace/site/index.html` shows one of them with its own
 * links working; every other path is read from the workspace.
 */
export function createStaticServer(roots: Roots): Server {
  return createServer((request, response) => {
    withFileErrors(() => answer(roots, request, response)).catch((error: unknown) => sendError(response, error))
  })
}

async function answer(roots: Roots, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw refuse(405, 'method_not_allowed', 'Only GET and HEAD.')
  const url = parseUrl(request)
  if (url.pathname === '/health') {
    sendJson(response, 200, { status: 'ok' })
    return
  }
  const isOpen = url.pathname === '/open'
  const path = isOpen ? url.searchParams.get('path') : decodePath(url.pathname)
  if (!path) throw refuse(400, 'bad_request', 'Name a file: /open?path=/workspace/…')
  const { handle } = await openFile(roots, path)
  const mimeType = mimeTypeOf(path) ?? 'application/octet-stream'
  const { size } = await handle.stat()
  if (isOpen && mimeType === 'text/html' && size <= maxPageBytes && !request.headers.range) {
    const page = await handle.readFile('utf8').finally(() => handle.close())
    sendPage(response, withBase(page, relative(roots.workspace, dirname(roots.resolve(path)))))
    return
  }
  await sendFile(handle, withCharset(mimeType), request, response)
}

function sendPage(response: ServerResponse, page: string): void {
  const bytes = Buffer.from(page)
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Length': bytes.length })
  response.end(bytes)
}

/** Relative links of the page mean its own folder, which below `/open` only a base can say. */
function withBase(page: string, folder: string): string {
  if (folder === '' || folder.startsWith('..') || /<base\s/i.test(page)) return page
  const base = `<base href="${folder.split('/').map(encodeURIComponent).join('/')}/">`
  const head = /<head[^>]*>/i.exec(page)
  if (!head) return `${base}${page}`
  const end = head.index + head[0].length
  return page.slice(0, end) + base + page.slice(end)
}

const withCharset = (mimeType: string) => (mimeType.startsWith('text/') ? `${mimeType}; charset=utf-8` : mimeType)

function decodePath(pathname: string): string {
  try {
    return decodeURIComponent(pathname)
      .replace(/^\/+/, '')
      .replace(/(^|\/)$/, '$1index.html')
  } catch {
    throw refuse(400, 'bad_request', 'This path cannot be read.')
  }
}
