import type { MessageLike, Turn } from '../wire/message-types.ts'
import { toRecord } from '../wire/read-value.ts'
import { isTextPart, isToolPart } from './guard-part.ts'
import { readAssistantMessages, readParts } from './read-message.ts'

/**
 * True when the turn is a command a person ran in shell mode: a prompt made of synthetic text only, answered by exactly
 * one message with exactly one part, a `bash` call.
 *
 * @example
 * isShellMode(turn) ? renderCommand(getShellModePart(turn)) : renderTurn(turn)
 */
export function isShellMode<M extends MessageLike>(turn: Turn<M>): boolean {
  return getShellModePart(turn) !== undefined
}

/**
 * The `bash` call of a shell-mode turn, undefined for any other turn.
 *
 * @example
 * const command = getShellModePart(turn)
 */
export function getShellModePart<M extends MessageLike>(turn: Turn<M>): M['parts'][number] | undefined {
  const prompt = readParts(toRecord(turn).userMessage)
  if (prompt.length === 0 || !prompt.every(isSyntheticText)) return undefined
  if (readAssistantMessages(turn).length !== 1) return undefined
  const parts = turn.assistantMessages[0]?.parts
  const part = Array.isArray(parts) && parts.length === 1 ? parts[0] : undefined
  return isToolPart(part) && part.tool === 'bash' ? part : undefined
}

function isSyntheticText(part: unknown): boolean {
  return isTextPart(part) && part.synthetic === true
}
