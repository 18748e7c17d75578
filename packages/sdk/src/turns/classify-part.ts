import { unwrapError } from '../status/unwrap-error.ts'
import { type ToolView, viewToolPart } from '../tools/view-tool-part.ts'
import type { PartLike, TokenUsage } from '../wire/message-types.ts'
import {
  dropUndefined,
  isRecord,
  readFinite,
  readString,
  toAmount,
  toList,
  toRecord,
  toText,
} from '../wire/read-value.ts'
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
  const text = (name: string): string => toText(fields[name])
  const maybe = (name: string): string | undefined => readString(fields[name])
  const flag = (name: string): boolean => fields[name] === true
  const id = text('id')
  switch (fields.type) {
    case 'text':
      return { kind: 'text', id, text: text('text'), synthetic: flag('synthetic') }
    case 'reasoning':
      return { kind: 'reasoning', id, text: text('text') }
    case 'tool':
      return { kind: 'tool', id, tool: viewToolPart(part) }
    case 'file':
      return dropUndefined({
        kind: 'file' as const,
        id,
        filename: maybe('filename'),
        mime: text('mime'),
        url: text('url'),
        isImage: isImageMime(fields.mime),
        isPdf: isPdfMime(fields.mime),
      })
    case 'subtask':
      return dropUndefined({
        kind: 'subtask' as const,
        id,
        description: text('description'),
        agent: text('agent'),
        prompt: text('prompt'),
        model: isModelReference(fields.model) ? fields.model : undefined,
      })
    case 'patch': {
      const files = toList(fields.files).filter((file) => typeof file === 'string')
      return { kind: 'patch', id, hash: text('hash'), files, fileCount: files.length }
    }
    case 'snapshot':
      return { kind: 'snapshot', id, snapshot: text('snapshot') }
    case 'agent':
      return { kind: 'agent', id, name: text('name') }
    case 'retry':
      return {
        kind: 'retry',
        id,
        attempt: toAmount(fields.attempt),
        message: unwrapError(fields.error),
        createdAt: readFinite(toRecord(fields.time).created) ?? 0,
      }
    case 'compaction':
      return dropUndefined({
        kind: 'compaction' as const,
        id,
        auto: flag('auto'),
        overflow: flag('overflow'),
        tailStartId: maybe('tail_start_id'),
      })
    case 'step-start':
      return dropUndefined({ kind: 'step' as const, id, phase: 'start' as const, snapshot: maybe('snapshot') })
    case 'step-finish':
      return dropUndefined({
        kind: 'step' as const,
        id,
        phase: 'finish' as const,
        snapshot: maybe('snapshot'),
        reason: maybe('reason'),
        cost: readFinite(fields.cost),
        tokens: isTokenUsage(fields.tokens) ? fields.tokens : undefined,
      })
    default:
      return { kind: 'unknown', raw: part }
  }
}

function isModelReference(value: unknown): value is { providerID: string; modelID: string } {
  const { providerID, modelID } = toRecord(value)
  return typeof providerID === 'string' && typeof modelID === 'string'
}

/** Counts are the caller's own object; a count that is not a number is left for the cost helpers to read as zero. */
function isTokenUsage(value: unknown): value is TokenUsage {
  return isRecord(value)
}
