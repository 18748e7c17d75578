import type { PartLike } from '../wire/message-types.ts'
import { toList } from '../wire/read-value.ts'
import { isAttachment } from './guard-part.ts'

/**
 * Splits the parts of a prompt into what is shown beside it (images, PDFs) and the rest, order kept.
 *
 * @example
 * const { attachments, stickyParts } = splitUserParts(turn.userMessage.parts)
 */
export function splitUserParts<P extends PartLike>(parts: readonly P[]): { attachments: P[]; stickyParts: P[] } {
  const attachments: P[] = []
  const stickyParts: P[] = []
  for (const part of toList(parts)) (isAttachment(part) ? attachments : stickyParts).push(part)
  return { attachments, stickyParts }
}
