import type { MessageLike, Turn } from '../wire/message-types.ts'
import { toList, toRecord } from '../wire/read-value.ts'
import { isTextPart, isToolPart } from './guard-part.ts'
import { readParts } from './read-message.ts'

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
  const [answer, ...others] = toList(turn?.assistantMessages)
  const [part, ...more] = toList<M['parts'][number]>(answer?.parts)
  const isShell =
    prompt.length > 0 &&
    prompt.every((asked) => isTextPart(asked) && asked.synthetic === true) &&
    others.length + more.length === 0
  return isShell && isToolPart(part) && part.tool === 'bash' ? part : undefined
}
