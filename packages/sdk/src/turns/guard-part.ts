import type {
  AgentPart,
  CompactionPart,
  FilePart,
  PartLike,
  PatchPart,
  ReasoningPart,
  SnapshotPart,
  TextPart,
  ToolPart,
} from '../wire/message-types.ts'
import { readString, toRecord, toText } from '../wire/read-value.ts'

/** The part's type, or undefined for anything that is not a part. */
export function readPartType(part: unknown): string | undefined {
  return readString(toRecord(part).type)
}

/**
 * True for a text part.
 *
 * @example
 * message.parts.filter(isTextPart).map((part) => part.text)
 */
export function isTextPart(part: unknown): part is TextPart {
  return readPartType(part) === 'text'
}

/**
 * True for a tool call.
 *
 * @example
 * message.parts.filter(isToolPart).map((part) => part.tool)
 */
export function isToolPart(part: unknown): part is ToolPart {
  return readPartType(part) === 'tool'
}

/**
 * True for a reasoning part.
 *
 * @example
 * const thoughts = message.parts.filter(isReasoningPart)
 */
export function isReasoningPart(part: unknown): part is ReasoningPart {
  return readPartType(part) === 'reasoning'
}

/**
 * True for a file part.
 *
 * @example
 * const files = message.parts.filter(isFilePart)
 */
export function isFilePart(part: unknown): part is FilePart {
  return readPartType(part) === 'file'
}

/**
 * True for a part that names an agent.
 *
 * @example
 * const mention = message.parts.find(isAgentPart)
 */
export function isAgentPart(part: unknown): part is AgentPart {
  return readPartType(part) === 'agent'
}

/**
 * True for a part that marks where the context was compacted.
 *
 * @example
 * const wasCompacted = message.parts.some(isCompactionPart)
 */
export function isCompactionPart(part: unknown): part is CompactionPart {
  return readPartType(part) === 'compaction'
}

/**
 * True for a workspace snapshot.
 *
 * @example
 * const snapshot = message.parts.find(isSnapshotPart)
 */
export function isSnapshotPart(part: unknown): part is SnapshotPart {
  return readPartType(part) === 'snapshot'
}

/**
 * True for a list of changed files.
 *
 * @example
 * const patch = message.parts.find(isPatchPart)
 */
export function isPatchPart(part: unknown): part is PatchPart {
  return readPartType(part) === 'patch'
}

/**
 * The text of a text or reasoning part; undefined for every other part.
 *
 * @example
 * getPartText({ type: 'reasoning', text: 'Plan first' }) // 'Plan first'
 */
export function getPartText<P extends PartLike>(part: P | null | undefined): string | undefined {
  return isTextPart(part) || isReasoningPart(part) ? readString(part.text) : undefined
}

/**
 * True for a file that is shown beside a prompt: an image or a PDF.
 *
 * @example
 * isAttachment({ type: 'file', mime: 'image/png', url: 'data:…' }) // true
 */
export function isAttachment(part: unknown): part is FilePart {
  return isFilePart(part) && (isImageMime(part.mime) || isPdfMime(part.mime))
}

export function isImageMime(mime: unknown): boolean {
  return toText(mime).startsWith('image/')
}

export function isPdfMime(mime: unknown): boolean {
  return mime === 'application/pdf'
}
