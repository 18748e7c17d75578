import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { appendFile, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Refusal, refuse } from '../http/reply.ts'
import type { Settings } from '../settings.ts'
import { ensureFolder, isCode } from './open-inside.ts'
import { baseNameOf, placeFile } from './place-file.ts'
import type { Roots } from './roots.ts'

export const chunkBytes = 65_536

export interface UploadedFile {
  readonly path: string
  readonly size: number
}

export interface ChunkInput {
  readonly offset: number
  readonly total: number
  readonly bytes: Buffer
  readonly sha256: string | undefined
}

export interface CompleteInput {
  readonly path: string
  readonly filename: string
  readonly size: number
  readonly sha256: string
}

/** Files that arrive in verified pieces. What has arrived is on disk, so that a cut or a restart costs nothing. */
export interface Uploads {
  putChunk(id: string, chunk: ChunkInput): Promise<{ upload_id: string; received: number }>
  complete(id: string, input: CompleteInput): Promise<readonly UploadedFile[]>
  abandon(id: string): Promise<void>
  /** Removes what nobody touched for as long as an unfinished upload is kept. */
  sweep(nowMs: number): Promise<void>
}

const maxUploads = 64
const rememberedUploads = 256

export function createUploads(settings: Settings, roots: Roots): Uploads {
  const folder = join(settings.home, '.svc', 'uploads')
  const inLine = createLine()
  /** A client whose connection broke at the end asks again and must get the same answer. */
  const finished = new Map<string, readonly UploadedFile[]>()

  return {
    putChunk: (id, chunk) =>
      inLine(id, async () => {
        requireUploadId(id)
        requireChecksum(chunk)
        const part = join(folder, id)
        const received = await sizeOf(part)
        if (chunk.offset + chunk.bytes.length > chunk.total) {
          throw refuse(400, 'bad_request', 'This chunk goes past the total size.')
        }
        const isRepeat = chunk.offset + chunk.bytes.length <= (received ?? 0)
        if (isRepeat) return { upload_id: id, received: received ?? 0 }
        if (chunk.offset !== (received ?? 0)) throw offsetMismatch(received ?? 0)
        if (received === undefined) await beginUpload(folder)
        await appendFile(part, chunk.bytes, { mode: 0o600 })
        return { upload_id: id, received: chunk.offset + chunk.bytes.length }
      }),

    complete: (id, input) =>
      inLine(id, async () => {
        requireUploadId(id)
        const before = finished.get(id)
        if (before) return before
        const part = join(folder, id)
        const received = await sizeOf(part)
        if (received === undefined) throw refuse(404, 'upload_not_found', 'There is no such upload: begin it again.')
        if (received !== input.size) {
          throw refuse(409, 'incomplete', `${received} of ${input.size} bytes have arrived.`, { expected: received })
        }
        if ((await hashOf(part)) !== input.sha256.toLowerCase()) throw checksumMismatch()
        const name = baseNameOf(input.filename)
        const target = await ensureFolder(roots, input.path)
        try {
          const placed = [{ path: await placeFile(part, target, name), size: received }]
          remember(finished, id, placed)
          return placed
        } finally {
          await target.close()
        }
      }),

    abandon: (id) =>
      inLine(id, async () => {
        requireUploadId(id)
        await rm(join(folder, id), { force: true })
      }),

    async sweep(nowMs) {
      for (const id of await listParts(folder)) {
        await inLine(id, async () => {
          const found = await stat(join(folder, id)).catch(() => undefined)
          if (found && nowMs - found.mtimeMs > settings.uploadTtlMs) await rm(join(folder, id), { force: true })
        })
      }
    },
  }
}

/** One piece of work at a time for each name. */
function createLine() {
  const last = new Map<string, Promise<unknown>>()
  return <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const before = last.get(name) ?? Promise.resolve()
    const mine = before.then(work, work)
    last.set(name, mine)
    const forget = () => {
      if (last.get(name) === mine) last.delete(name)
    }
    mine.then(forget, forget)
    return mine
  }
}

async function beginUpload(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if ((await listParts(folder)).length >= maxUploads) {
    throw refuse(429, 'too_many_uploads', `At most ${maxUploads} uploads can be unfinished: complete or abandon one.`)
  }
}

async function listParts(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isCode(error, 'ENOENT')) return []
    throw error
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 262_144 }), hash)
  return hash.digest('hex')
}

function remember(finished: Map<string, readonly UploadedFile[]>, id: string, placed: readonly UploadedFile[]): void {
  finished.set(id, placed)
  const oldest = finished.keys().next().value
  if (finished.size > rememberedUploads && oldest !== undefined) finished.delete(oldest)
}

function requireUploadId(id: string): void {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) return
  throw refuse(400, 'bad_upload_id', 'The upload id must be a UUID.')
}

function requireChecksum({ bytes, sha256 }: ChunkInput): void {
  if (bytes.length === 0) throw refuse(400, 'bad_request', 'A chunk cannot be empty.')
  if (sha256 === undefined) throw refuse(400, 'bad_request', 'The header X-Svc-Chunk-Sha256 is missing.')
  if (createHash('sha256').update(bytes).digest('hex') !== sha256.toLowerCase()) throw checksumMismatch()
}

const checksumMismatch = () =>
  refuse(422, 'checksum_mismatch', 'The bytes that arrived are not the ones that were sent.')

const offsetMismatch = (expected: number) =>
  new Refusal(409, { error: `The next byte expected is ${expected}.`, code: 'offset_mismatch', expected })
