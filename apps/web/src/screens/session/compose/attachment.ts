import type { RuntimePromptPart } from '@svc/sdk'
import type { DraftFile } from '../../../data/prompt-drafts.ts'

/** A file on its way to the machine, or there. */
export interface Attachment {
  readonly id: string
  readonly name: string
  /** To be sent again; one that came back from the queue lies in the machine and needs none. */
  readonly file?: File | undefined
  readonly state: 'uploading' | 'ready' | 'failed'
  readonly loadedBytes: number
  /** Where it lies in the machine, once it does. */
  readonly path?: string | undefined
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

/** Those that lie in the machine. */
export const listThere = (attachments: readonly Attachment[]): DraftFile[] =>
  attachments.flatMap(({ path, mime, name }) => (path === undefined ? [] : [{ path, mime, name }]))

/** Files that lie in the machine, to be sent along. */
export const putBack = (files: readonly DraftFile[]): Attachment[] =>
  files.map((file) => ({ ...file, id: crypto.randomUUID(), state: 'ready', loadedBytes: 0 }))

const mark = 'Attached: '
const folder = '/tmp/attachments/'

/** A prompt with its files: those that a model can look at as files, the others by their place in the machine. */
export function toParts(text: string, attachments: readonly Attachment[]): RuntimePromptPart[] {
  const there = listThere(attachments)
  const shown = there.flatMap(({ path, mime, name }) => (mime === undefined ? [] : [{ path, mime, name }]))
  const named = there.filter(({ mime }) => mime === undefined).map(({ path }) => `${mark}${path}`)
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

/** The other way round: what a person wrote, and the files they attached to it. */
export function readParts(parts: readonly Readonly<Record<string, unknown>>[]): { text: string; files: DraftFile[] } {
  const paragraphs = parts.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
  const lines = paragraphs.join('\n\n').split('\n\n')
  const named = lines.filter(isNamed).map((line) => line.slice(mark.length))
  return {
    text: lines.filter((line) => !isNamed(line)).join('\n\n'),
    files: [...parts.flatMap(readFilePart), ...named.map((path) => ({ path, name: path.slice(folder.length) }))],
  }
}

const isNamed = (line: string) => line.startsWith(mark + folder) && !line.includes('\n')

function readFilePart({ type, url, mime, filename }: Readonly<Record<string, unknown>>): DraftFile[] {
  if (type !== 'file' || typeof url !== 'string' || !url.startsWith('file://') || typeof mime !== 'string') return []
  const path = decodeURIComponent(url.slice('file://'.length))
  return [{ path, mime, name: typeof filename === 'string' ? filename : path.slice(path.lastIndexOf('/') + 1) }]
}
