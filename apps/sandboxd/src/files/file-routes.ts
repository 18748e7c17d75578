import type { Daemon } from '../daemon.ts'
import { readBody, readJson, readText } from '../http/read-body.ts'
import { refuse, sendJson } from '../http/reply.ts'
import type { Call, Route } from '../http/route.ts'
import { makeFolder, removeEntry, renameEntry } from './change-files.ts'
import { withFileErrors } from './file-errors.ts'
import { findFiles } from './find-files.ts'
import { findText } from './find-text.ts'
import { listChanges } from './git-status.ts'
import { listFolder } from './list-folder.ts'
import { listTree } from './list-tree.ts'
import { mimeTypeOf } from './mime-types.ts'
import { openFile } from './open-inside.ts'
import { readContent } from './read-content.ts'
import type { Roots } from './roots.ts'
import { sendChanges } from './send-changes.ts'
import { sendFile } from './send-file.ts'
import { uploadForm } from './upload-form.ts'
import { chunkBytes, type Uploads } from './uploads.ts'
import { createFileWatch } from './watch-files.ts'

const octets = 'application/octet-stream'

/** Files and search. */
export function listFileRoutes(daemon: Daemon, roots: Roots, uploads: Uploads, program: string): readonly Route[] {
  const { workspace } = daemon.settings
  const env = () => daemon.environment.current()
  const watch = createFileWatch(workspace)
  const route = (method: string, path: string, handle: (call: Call) => Promise<unknown>): Route => ({
    method,
    path,
    access: 'context',
    async handle(call) {
      const answer = await withFileErrors(() => handle(call))
      // A route that sends bytes has answered already.
      if (answer !== undefined) sendJson(call.response, 200, answer)
    },
  })

  return [
    route('GET', '/file', async ({ url }) => {
      const path = url.searchParams.get('path')
      if (path === null) throw refuse(400, 'bad_request', 'path is missing.')
      return listFolder(roots, path || '.', env())
    }),
    route('GET', '/file/content', ({ url }) => readContent(roots, requireQuery(url, 'path'))),
    route('GET', '/file/raw', (call) => sendRaw(roots, call)),
    route('HEAD', '/file/raw', (call) => sendRaw(roots, call)),
    route('GET', '/file/status', () => listChanges(workspace, env())),
    route('GET', '/file/watch', async ({ request, response }) => sendChanges(watch, request, response)),
    route('GET', '/find', async ({ url }) => {
      const pattern = requireQuery(url, 'pattern')
      return findText(program, { workspace, files: await listTree(workspace, env()), pattern })
    }),
    route('GET', '/find/file', async ({ url }) => {
      const files = await listTree(workspace, env())
      return findFiles(files, url.searchParams.get('query') ?? '', readType(url), readLimit(url))
    }),
    route('POST', '/file/upload', ({ request }) => uploadForm(roots, request)),
    route('PUT', '/file/upload/:id', (call) => putChunk(uploads, call)),
    route('POST', '/file/upload/:id/complete', (call) => completeUpload(uploads, call)),
    route('DELETE', '/file/upload/:id', async ({ params }) => {
      await uploads.abandon(params.id ?? '')
      return true
    }),
    route('POST', '/file/mkdir', async ({ request }) => {
      await makeFolder(roots, requireText(await readJson(request), 'path'))
      return true
    }),
    route('POST', '/file/rename', async ({ request }) => {
      const body = await readJson(request)
      await renameEntry(roots, requireText(body, 'from'), requireText(body, 'to'))
      return true
    }),
    route('DELETE', '/file', async ({ request, url }) => {
      await removeEntry(roots, url.searchParams.get('path') ?? requireText(await readJson(request), 'path'))
      return true
    }),
  ]
}

async function sendRaw(roots: Roots, { request, response, url }: Call): Promise<void> {
  const path = requireQuery(url, 'path')
  const { handle } = await openFile(roots, path)
  await sendFile(handle, mimeTypeOf(path) ?? octets, request, response)
}

async function putChunk(uploads: Uploads, { request, url, params }: Call) {
  const sha256 = request.headers['x-svc-chunk-sha256']
  return uploads.putChunk(params.id ?? '', {
    offset: requireCount(url.searchParams.get('offset'), 'offset'),
    total: requireCount(url.searchParams.get('total'), 'total'),
    bytes: await readBody(request, chunkBytes),
    sha256: typeof sha256 === 'string' ? sha256 : undefined,
  })
}

async function completeUpload(uploads: Uploads, { request, params }: Call) {
  const body = await readJson(request)
  return uploads.complete(params.id ?? '', {
    path: readText(body, 'path') || '.',
    filename: requireText(body, 'filename'),
    size: requireCount(body.size, 'size'),
    sha256: requireText(body, 'sha256'),
  })
}

function requireQuery(url: URL, name: string): string {
  const value = url.searchParams.get(name)
  if (!value) throw refuse(400, 'bad_request', `${name} is missing.`)
  return value
}

function requireText(body: Record<string, unknown>, name: string): string {
  const value = readText(body, name)
  if (!value) throw refuse(400, 'bad_request', `${name} is missing.`)
  return value
}

function requireCount(value: unknown, name: string): number {
  const count =
    typeof value === 'number' ? value : typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : -1
  if (!Number.isSafeInteger(count) || count < 0) {
    throw refuse(400, 'bad_request', `${name} must be a whole number of bytes.`)
  }
  return count
}

const readType = (url: URL) => {
  if (url.searchParams.get('dirs') === 'true') return 'directory'
  return url.searchParams.get('type') ?? undefined
}

function readLimit(url: URL): number {
  const limit = Number(url.searchParams.get('limit') ?? 100)
  return Number.isInteger(limit) && limit > 0 ? Math.min(limit, 1000) : 100
}
