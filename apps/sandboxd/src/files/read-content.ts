import { refuse } from '../http/reply.ts'
import { mimeTypeOf } from './mime-types.ts'
import { openFile } from './open-inside.ts'
import type { Roots } from './roots.ts'

const maxContentBytes = 20 * 1024 * 1024

export interface FileContent {
  readonly type: 'text' | 'binary'
  readonly content: string
  readonly encoding?: 'base64'
  readonly mimeType: string
  readonly size: number
}

/** The whole file in a JSON answer; what is too large for that is read raw. */
export async function readContent(roots: Roots, path: string): Promise<FileContent> {
  const { handle } = await openFile(roots, path)
  try {
    const { size } = await handle.stat()
    if (size > maxContentBytes) {
      throw refuse(413, 'file_too_large', `This file has ${size} bytes: read it with /file/raw.`)
    }
    const bytes = await handle.readFile()
    const text = decodeText(bytes)
    if (text !== undefined) {
      return { type: 'text', content: text, mimeType: mimeTypeOf(path) ?? 'text/plain', size: bytes.length }
    }
    const mimeType = mimeTypeOf(path) ?? 'application/octet-stream'
    return { type: 'binary', content: bytes.toString('base64'), encoding: 'base64', mimeType, size: bytes.length }
  } finally {
    await handle.close()
  }
}

function decodeText(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // Not UTF-8: sent as base64, which loses nothing.
    return undefined
  }
}
