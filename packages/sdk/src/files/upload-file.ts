import { ApiError } from '../errors/api-error.ts'
import type { RuntimeClient } from '../runtime/runtime-calls.ts'
import { generateSessionId } from '../sessions/generate-session-id.ts'
import { attempt } from '../wire/parse-json.ts'
import { firstText, readFinite, toList, toRecord } from '../wire/read-value.ts'
import { createSha256, sha256 } from './sha256.ts'

/** What can be uploaded. */
export type UploadSource = Blob | string | ArrayBuffer | Uint8Array<ArrayBuffer>

/** A file as the sandbox stored it. */
export interface UploadedFile {
  readonly path: string
  readonly size: number
}

/** How an upload is followed. */
export interface UploadOptions {
  /** Called after each piece that the sandbox confirmed. */
  readonly onProgress?: (progress: { readonly loadedBytes: number; readonly totalBytes: number }) => void
}

type Send = (request: {
  method: string
  path: string
  body?: unknown
  headers?: Record<string, string>
}) => Promise<unknown>

const CHUNK_BYTES = 65_536
const RETRY_MS = [400, 1200]
const LONGEST_MS = 900_000

/** Stores a file in a folder of the sandbox: in one request when it is small, else in verified pieces. */
export async function uploadFile(
  runtime: RuntimeClient,
  file: UploadSource,
  dir: string,
  name?: string,
  { onProgress }: UploadOptions = {},
): Promise<UploadedFile[]> {
  const blob = file instanceof Blob ? file : new Blob([file])
  const { size } = blob
  const filename = name ?? firstText(toRecord(file).name) ?? 'upload'
  const endsMs = Date.now() + Math.min(30_000 + size / 256, LONGEST_MS)
  const send: Send = (request) =>
    runtime.request({ retryMs: RETRY_MS, timeoutMs: Math.max(1, endsMs - Date.now()), ...request })
  // Whoever watches must not break the upload.
  const report = (loadedBytes: number) => attempt(() => onProgress?.({ loadedBytes, totalBytes: size }))
  if (size > CHUNK_BYTES) return sendPieces(send, blob, { path: dir, filename, size }, report)
  const body = new FormData()
  body.append('path', dir)
  body.append('filename', filename)
  body.append('file', blob, filename)
  const stored = readStored(await send({ method: 'POST', path: 'file/upload', body }), size)
  report(size)
  return stored
}

async function sendPieces(
  send: Send,
  blob: Blob,
  target: { readonly path: string; readonly filename: string; readonly size: number },
  report: (loadedBytes: number) => unknown,
): Promise<UploadedFile[]> {
  const path = `file/upload/${generateSessionId()}`
  const whole = createSha256()
  let hashed = 0
  let refusals = 0
  try {
    for (let offset = 0; offset < target.size; ) {
      const body = blob.slice(offset, offset + CHUNK_BYTES)
      const bytes = new Uint8Array(await body.arrayBuffer())
      if (offset === hashed) {
        whole.update(bytes)
        hashed += bytes.length
      }
      const headers = { 'content-type': 'application/octet-stream', 'x-svc-chunk-sha256': sha256(bytes) }
      const at = `${path}?offset=${offset}&total=${target.size}`
      const reply = await send({ method: 'PUT', path: at, body, headers }).then(
        (said) => toRecord(said).received,
        (error) => findResume(error, offset),
      )
      const received = readFinite(reply) ?? Infinity
      const isNext = received === offset + bytes.length
      // Where the sandbox says it stands is where to go on, but never past what was read, and not for ever.
      if (!isNext && (++refusals > RETRY_MS.length || received > hashed)) throw mismatch()
      offset = received
      if (isNext) report(offset)
    }
    const body = { ...target, sha256: whole.digest() }
    return readStored(await send({ method: 'POST', path: `${path}/complete`, body }), target.size)
  } catch (error) {
    // The failure is what the caller hears of; leftovers are swept by the sandbox after an hour.
    await send({ method: 'DELETE', path }).catch(() => undefined)
    throw isRefusal(error) ? mismatch(error) : error
  }
}

/** Where to go on after a piece was refused; other failures are thrown on. */
function findResume(error: unknown, offset: number): unknown {
  const refusal = toRecord(error)
  if (refusal.code === 'checksum_mismatch') return offset
  if (refusal.code !== 'offset_mismatch') throw error
  return toRecord(refusal.details).expected
}

const isRefusal = (error: unknown): boolean => /^(\w+_mismatch|incomplete)$/.test(String(toRecord(error).code))

function readStored(reply: unknown, size: number): UploadedFile[] {
  const stored = toList(reply).map(toRecord)
  if (!firstText(stored[0]?.path)) {
    throw new ApiError('The upload was confirmed without a path.', { code: 'UPLOAD_NO_RESULT' })
  }
  if (stored[0]?.size !== size) throw mismatch()
  // Checked above as far as it is relied on.
  return stored as unknown as UploadedFile[]
}

const mismatch = (cause?: unknown): ApiError =>
  new ApiError('The upload was not confirmed. Try again.', {
    code: 'UPLOAD_SIZE_MISMATCH',
    cause,
  })
