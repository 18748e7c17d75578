import { unwrapError } from '../status/unwrap-error.ts'
import { type ToolView, viewToolPart } from '../tools/view-tool-part.ts'
import type { PartLike, TokenUsage } from '../wire/message-types.ts'
import { isRecord, readFinite, readString, toAmount, toList, toRecord, toText } from '../wire/read-value.ts'
import { isImageMime, isPdfMime } from './guard-part.ts'

/** A part, ready to render. Switch on `kind`; `unknown` keeps a part this version does not know. */
export type ClassifiedPart =
  | { readonly kind: 'text'; readonly id: string; readonly text: string; readonly synthetic: boolean }
  | { readonly kind: 'reasoning'; readonly id: string; readonly text: string }
  | { readonly kind: 'tool'; readonly id: string; readonly tool: ToolView }
  | {
      readonly kind: 'file'
      readonly id: string
      readonly filename?: string
      readonly mime: string
      readonly url: string
      readonly isImage: boolean
      readonly isPdf: boolean
    }
  | {
      readonly kind: 'subtask'
      readonly id: string
      readonly description: string
      readonly agent: string
      readonly prompt: string
      readonly model?: { readonly providerID: string; readonly modelID: string }
    }
  | {
      readonly kind: 'patch'
      readonly id: string
      readonly hash: string
      readonly files: readonly string[]
      readonly fileCount: number
    }
  | { readonly kind: 'snapshot'; readonly id: string; readonly snapshot: string }
  | { readonly kind: 'agent'; readonly id: string; readonly name: string }
  | {
      readonly kind: 'retry'
      readonly id: string
      readonly attempt: number
      readonly message: string
      readonly createdAt: number
    }
  | {
      readonly kind: 'compaction'
      readonly id: string
      readonly auto: boolean
      readonly overflow: boolean
      readonly tailStartId?: string
    }
  | {
      readonly kind: 'step'
      readonly id: string
      readonly phase: 'start' | 'finish'
      readonly snapshot?: string
      readonly reason?: string
      readonly cost?: number
      readonly tokens?: TokenUsage
    }
  | { readonly kind: 'unknown'; readonly raw: unknown }

/**
 * Turns a wire part into one that is ready to render. Never throws: a type this version does not know becomes
 * `unknown`, and a known type with a field missing gets that field's empty value.
 *
 * @example
 * classifyPart({ type: 'text', id: 'p', text: 'hi' }) // { kind: 'text', id: 'p', text: 'hi', synthetic: false }
 * classifyPart({ type: 'hologram', id: 'p' }) // { kind: 'unknown', raw: { type: 'hologram', id: 'p' } }
 */
export function classifyPart<P extends PartLike>(part: P): ClassifiedPart
export function classifyPart(part: unknown): ClassifiedPart
export function classifyPart(part: unknown): ClassifiedPart {
  const fields = toRecord(part)
  const id = toText(fields.id)
  switch (fields.type) {
    case 'text':
      return { kind: 'text', id, text: toText(fields.text), synthetic: fields.synthetic === true }
    case 'reasoning':
      return { kind: 'reasoning', id, text: toText(fields.text) }
    case 'tool':
      return { kind: 'tool', id, tool: viewToolPart(part) }
    case 'file':
      return classifyFile(fields, id)
    case 'subtask':
      return classifySubtask(fields, id)
    case 'patch': {
      const files = toList(fields.files).filter((file) => typeof file === 'string')
      return { kind: 'patch', id, hash: toText(fields.hash), files, fileCount: files.length }
    }
    case 'snapshot':
      return { kind: 'snapshot', id, snapshot: toText(fields.snapshot) }
    case 'agent':
      return { kind: 'agent', id, name: toText(fields.name) }
    case 'retry':
      return {
        kind: 'retry',
        id,
        attempt: toAmount(fields.attempt),
        message: unwrapError(fields.error),
        createdAt: readFinite(toRecord(fields.time).created) ?? 0,
      }
    case 'compaction':
      return classifyCompaction(fields, id)
    case 'step-start':
      return { kind: 'step', id, phase: 'start', ...readSnapshot(fields) }
    case 'step-finish':
      return classifyStepFinish(fields, id)
    default:
      return { kind: 'unknown', raw: part }
  }
}

function classifyFile(fields: Record<string, unknown>, id: string): ClassifiedPart {
  const { mime, url } = fields
  const filename = readString(fields.filename)
  return {
    kind: 'file',
    id,
    ...(filename !== undefined && { filename }),
    mime: toText(mime),
    url: toText(url),
    isImage: isImageMime(mime),
    isPdf: isPdfMime(mime),
  }
}

function classifySubtask(fields: Record<string, unknown>, id: string): ClassifiedPart {
  const { description, agent, prompt, model } = fields
  return {
    kind: 'subtask',
    id,
    description: toText(description),
    agent: toText(agent),
    prompt: toText(prompt),
    ...(isModelReference(model) && { model }),
  }
}

function classifyCompaction(fields: Record<string, unknown>, id: string): ClassifiedPart {
  const tailStartId = readString(fields.tail_start_id)
  return {
    kind: 'compaction',
    id,
    auto: fields.auto === true,
    overflow: fields.overflow === true,
    ...(tailStartId !== undefined && { tailStartId }),
  }
}

function classifyStepFinish(fields: Record<string, unknown>, id: string): ClassifiedPart {
  const reason = readString(fields.reason)
  const cost = readFinite(fields.cost)
  const { tokens } = fields
  return {
    kind: 'step',
    id,
    phase: 'finish',
    ...readSnapshot(fields),
    ...(reason !== undefined && { reason }),
    ...(cost !== undefined && { cost }),
    ...(isTokenUsage(tokens) && { tokens }),
  }
}

function readSnapshot(fields: Record<string, unknown>): { snapshot?: string } {
  const snapshot = readString(fields.snapshot)
  return snapshot === undefined ? {} : { snapshot }
}

function isModelReference(value: unknown): value is { providerID: string; modelID: string } {
  return isRecord(value) && typeof value.providerID === 'string' && typeof value.modelID === 'string'
}

/** Counts are the caller's own object; a count that is not a number is left for the cost helpers to read as zero. */
function isTokenUsage(value: unknown): value is TokenUsage {
  return isRecord(value)
}
