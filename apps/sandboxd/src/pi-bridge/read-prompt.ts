import { refuse } from '../http/reply.ts'
import { notSupported } from './not-supported.ts'
import type { BridgeSettings, ModelChoice } from './settings.ts'

type Json = Readonly<Record<string, unknown>>

export interface Prompt {
  readonly messageId: string | undefined
  /** As they came, for the log. */
  readonly parts: readonly (Json & { readonly type: string })[]
  readonly text: string
  readonly images: readonly { readonly type: 'image'; readonly data: string; readonly mimeType: string }[]
  readonly model: ModelChoice | undefined
}

/** A prompt in the dialect, as far as pi can take it. */
export function readPrompt(body: Json, settings: BridgeSettings): Prompt {
  if (typeof body.agent === 'string' && body.agent !== settings.agent.name) {
    throw notSupported(`This runtime answers as ${settings.agent.name} alone; another agent needs its own session.`)
  }
  const parts: readonly unknown[] = Array.isArray(body.parts) ? body.parts : []
  if (parts.length === 0) throw refuse(400, 'bad_request', 'A prompt needs at least one part.')
  const read = parts.map(readPart)
  return {
    messageId: typeof body.messageID === 'string' ? body.messageID : undefined,
    parts: read.map(({ part }) => part),
    text: read
      .map(({ text }) => text)
      .filter((text) => text !== '')
      .join('\n\n'),
    images: read.flatMap(({ image }) => (image ? [image] : [])),
    model: readModel(body.model),
  }
}

function readPart(value: unknown): { part: Json & { type: string }; text: string; image?: Prompt['images'][number] } {
  const part = typeof value === 'object' && value !== null ? { ...value } : {}
  const { type, text, mime, url } = part as Json
  if (type === 'text' && typeof text === 'string') return { part: { ...part, type: 'text' }, text }
  if (type !== 'file' || typeof url !== 'string')
    throw notSupported(`This runtime takes no part of type ${String(type)}.`)
  const file = { ...part, type: 'file' }
  if (url.startsWith('file:')) return { part: file, text: `See the file ${decodeURIComponent(new URL(url).pathname)}` }
  const data = /^data:(image\/[\w.+-]+);base64,(.*)$/s.exec(url)
  if (!data) throw notSupported(`This runtime takes files of the workspace and pictures, not ${String(mime)}.`)
  return { part: file, text: '', image: { type: 'image', mimeType: data[1] ?? '', data: data[2] ?? '' } }
}

function readModel(value: unknown): ModelChoice | undefined {
  const { providerID, modelID } = (typeof value === 'object' && value !== null ? value : {}) as Json
  return typeof providerID === 'string' && typeof modelID === 'string' ? { providerID, modelID } : undefined
}
