import { refusePage } from '../http/decode-reply.ts'
import type { RuntimeClient } from '../runtime/runtime-calls.ts'
import { getClient } from '../runtime/runtime-client.ts'
import type { RuntimeFile, RuntimeFileContent, RuntimeFileStatus, RuntimeTextMatch } from '../runtime/runtime-types.ts'
import { generateSessionId } from '../sessions/generate-session-id.ts'
import { getDirectory, getFilename } from '../text/split-path.ts'
import { toRecord } from '../wire/read-value.ts'
import { toDaemonPath, toSandboxAbsolutePath } from './map-path.ts'
import { type UploadedFile, type UploadOptions, type UploadSource, uploadFile } from './upload-file.ts'

/** The files of one sandbox. Paths are absolute or stand on `/workspace`. */
export interface FilesClient {
  list(path: string): Promise<RuntimeFile[]>
  read(path: string): Promise<RuntimeFileContent>
  readBlob(path: string): Promise<Blob>
  /** What changed against the last commit. */
  status(): Promise<RuntimeFileStatus[]>
  findFiles(
    query: string,
    options?: { readonly type?: 'file' | 'directory' | undefined; readonly limit?: number | undefined },
  ): Promise<string[]>
  findText(pattern: string): Promise<RuntimeTextMatch[]>
  /** Never overwrites: the answer has the name the file was given. */
  upload(file: UploadSource, dir?: string, name?: string, options?: UploadOptions): Promise<UploadedFile[]>
  /** Replaces a file at once; what was there survives a failure. */
  write(path: string, content: UploadSource): Promise<{ path: string; bytes: number }>
  create(path: string): Promise<UploadedFile[]>
  copy(source: string, target: string): Promise<UploadedFile[]>
  /** With everything below it. */
  remove(path: string): Promise<boolean>
  mkdir(path: string): Promise<boolean>
  rename(from: string, to: string): Promise<boolean>
}

/**
 * The files of the active sandbox. Several sessions at once: use `svc.session(projectId, sessionId).files`.
 *
 * @example
 * const { content } = await files.read('/workspace/README.md')
 * await files.upload(blob, '/workspace/assets', 'logo.png', { onProgress: ({ loadedBytes }) => show(loadedBytes) })
 */
export const files: FilesClient = /* @__PURE__ */ createFiles(async () => getClient())

/** The files of whichever sandbox `open` gives. */
export function createFiles(open: () => Promise<RuntimeClient>): FilesClient {
  const upload: FilesClient['upload'] = async (file, dir = '', name, options) =>
    uploadFile(await open(), file, toDaemonPath(dir), name, options)
  const uploadTo = (path: string, file: UploadSource, name = getFilename(path)): Promise<UploadedFile[]> =>
    upload(file, getDirectory(toSandboxAbsolutePath(path)), name)
  const self: FilesClient = {
    async list(path) {
      const rows = await (await open()).file.list(toDaemonPath(path) || '.')
      return rows.map((row) => ({ ...row, path: row.absolute }))
    },
    read: async (path) => (await open()).file.read(toDaemonPath(path)),
    async readBlob(path) {
      const runtime = await open()
      const query = `path=${encodeURIComponent(toDaemonPath(path))}`
      try {
        return await runtime.request({ method: 'GET', path: `file/raw?${query}` }, readBytes)
      } catch (error) {
        // A daemon without raw reads, or a page in its place: the content as JSON is the second way.
        return self.read(path).then(toBlob, () => {
          throw error
        })
      }
    },
    status: async () => (await open()).file.status(),
    findFiles: async (query, options) => (await open()).find.files(query, options),
    async findText(pattern) {
      const rows = await (await open()).find.text(pattern)
      return rows.map((row) => ({ ...row, path: unnest(row.path), lines: unnest(row.lines) }))
    },
    upload,
    async write(path, content) {
      const [uploaded] = await uploadTo(path, content, `.${getFilename(path)}.${generateSessionId()}`)
      const { path: written = '', size = 0 } = uploaded ?? {}
      try {
        await self.rename(written, path)
      } catch (error) {
        // The failed rename is what the caller hears of; a leftover that cannot be removed changes nothing.
        await self.remove(written).catch(() => undefined)
        throw error
      }
      return { path: toSandboxAbsolutePath(path), bytes: size }
    },
    create: (path) => uploadTo(path, ''),
    copy: async (source, target) => uploadTo(target, await self.readBlob(source)),
    remove: async (path) => (await open()).file.remove(toDaemonPath(path)),
    mkdir: async (path) => (await open()).file.mkdir(toDaemonPath(path)),
    rename: async (from, to) => (await open()).file.rename(toDaemonPath(from), toDaemonPath(to)),
  }
  return self
}

function toBlob({ content, encoding, mimeType = '' }: RuntimeFileContent): Blob {
  const bytes = encoding === 'base64' ? Uint8Array.from(atob(content), (byte) => byte.charCodeAt(0)) : content
  return new Blob([bytes], { type: mimeType })
}

const readBytes = (response: Response): Promise<Blob> => refusePage(response, (reply) => reply.blob())

/** Some search engines wrap each text as `{ text }`. */
function unnest(value: unknown): string {
  return String(toRecord(value).text ?? value)
}
