import type { RuntimePromptPart } from '@svc/sdk'

/** A file on its way to the machine, or there. */
export interface Attachment {
  readonly id: string
  readonly file: File
  readonly state: 'uploading' | 'ready' | 'failed'
  readonly loadedBytes: number
  /** Where it lies in the machine, once it does. */
  readonly path?: string
  /** As what a model is shown it; undefined for what only tools can read. */
  readonly mime?: string | undefined
  readonly error?: unknown
}

export const maxAttachmentBytes = 25_000_000

const pictures = /^image\/(png|jpeg|gif|webp)$/
const sniffBytes = 8_192

/** A picture or a text, by what is in it: names and browsers disagree too often. */
export async function findMime(file: File): Promise<string | undefined> {
  if (pictures.test(file.type)) return file.type
  const bytes = await file.slice(0, sniffBytes).arrayBuffer()
  try {
    // The piece may end inside a character, so its end is not judged.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return text.includes('\0') ? undefined : 'text/plain'
  } catch {
    // Not UTF-8, so not a text that a model could be shown.
    return undefined
  }
}

/** Two texts as one; neither is lost for the other. */
export const joinTexts = (first: string, second: string): string =>
  [first, second].filter((text) => text.trim() !== '').join('\n\n')

/** A prompt with its files: those that a model can look at as files, the others by their place in the machine. */
export function toParts(text: string, attachments: readonly Attachment[]): RuntimePromptPart[] {
  const there = attachments.flatMap(({ path, mime, file }) => (path === undefined ? [] : [{ path, mime, file }]))
  const shown = there.flatMap(({ path, mime, file }) => (mime === undefined ? [] : [{ path, mime, name: file.name }]))
  const named = there.filter(({ mime }) => mime === undefined).map(({ path }) => `Attached: ${path}`)
  const words = [text, ...named].reduce(joinTexts)
  return [
    ...(words === '' ? [] : [{ type: 'text' as const, text: words }]),
    ...shown.map(({ path, mime, name }) => ({
      type: 'file' as const,
      mime,
      url: `file://${path.split('/').map(encodeURIComponent).join('/')}`,
      filename: name,
    })),
  ]
}
