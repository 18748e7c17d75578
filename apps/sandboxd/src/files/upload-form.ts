import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { dirname } from 'node:path'
import { readBody } from '../http/read-body.ts'
import { refuse } from '../http/reply.ts'
import { ensureFolder, type OpenFolder } from './open-inside.ts'
import { baseNameOf, placeFile } from './place-file.ts'
import type { Roots } from './roots.ts'
import { chunkBytes, type UploadedFile } from './uploads.ts'

const formOverheadBytes = 16_384

/**
 * Small files as a form: `path` (a folder), `filename` and `file`; or fields whose names are the paths the files should
 * get. Larger ones are uploaded in chunks.
 */
export async function uploadForm(roots: Roots, request: IncomingMessage): Promise<readonly UploadedFile[]> {
  const form = await readForm(request)
  const folder = form.get('path')
  const given = form.get('filename')
  const placed: UploadedFile[] = []
  for (const [field, value] of form.entries()) {
    if (typeof value === 'string') continue
    const isPlain = field === 'file'
    const name = isPlain ? (typeof given === 'string' && given !== '' ? given : value.name) : field
    const target = isPlain ? (typeof folder === 'string' && folder !== '' ? folder : roots.workspace) : dirname(field)
    placed.push(await saveFile(roots, target, baseNameOf(name), Buffer.from(await value.arrayBuffer())))
  }
  if (placed.length === 0) throw refuse(400, 'bad_request', 'The form has no file.')
  return placed
}

async function readForm(request: IncomingMessage): Promise<FormData> {
  const contentType = request.headers['content-type'] ?? ''
  if (!contentType.startsWith('multipart/form-data')) {
    throw refuse(415, 'bad_request', 'Send multipart/form-data, or upload in chunks.')
  }
  const body = await readBody(request, chunkBytes + formOverheadBytes)
  try {
    return await new Response(new Uint8Array(body), { headers: { 'Content-Type': contentType } }).formData()
  } catch {
    throw refuse(400, 'bad_request', 'This form cannot be read.')
  }
}

async function saveFile(roots: Roots, path: string, name: string, bytes: Buffer): Promise<UploadedFile> {
  const folder = await ensureFolder(roots, path)
  try {
    const temporary = await writeTemporary(folder, bytes)
    try {
      return { path: await placeFile(temporary, folder, name), size: bytes.length }
    } finally {
      await rm(temporary, { force: true })
    }
  } finally {
    await folder.close()
  }
}

async function writeTemporary(folder: OpenFolder, bytes: Buffer): Promise<string> {
  const path = folder.at(`.svc-upload-${randomUUID()}`)
  await writeFile(path, bytes, { flag: 'wx' })
  return path
}
