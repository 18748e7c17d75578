import type { MessageLike, PartLike, Turn, TurnPart } from '../wire/message-types.ts'
import { listOf, toList, toRecord, toText } from '../wire/read-value.ts'
import { isTextPart, readPartType } from './guard-part.ts'
import { readInfo, readRole } from './read-message.ts'

/** Part types that count as a step the agent took. */
const STEP_TYPES: readonly (string | undefined)[] = ['tool', 'compaction', 'snapshot', 'patch']

/**
 * All parts of a turn's answers, in order, each with its message.
 *
 * @example
 * const cost = getTurnCost(collectTurnParts(turn))
 */
export function collectTurnParts<M extends MessageLike>(turn: Turn<M>): TurnPart<M>[] {
  const collected: TurnPart<M>[] = []
  for (const message of listOf(turn?.assistantMessages)) {
    for (const part of listOf<M['parts'][number]>(message?.parts)) collected.push({ part, message })
  }
  return collected
}

/**
 * The last text part that says something; blank text is passed over.
 *
 * @example
 * const answer = findLastTextPart(collectTurnParts(turn))
 */
export function findLastTextPart<P extends PartLike>(parts: readonly { readonly part: P }[]): P | undefined {
  const entries = listOf(parts)
  for (let at = entries.length - 1; at >= 0; at--) {
    const part = entries[at]?.part
    if (isTextPart(part) && toText(part.text).trim() !== '') return part
  }
  return undefined
}

/**
 * True when the turn did something besides writing: a tool call, a compaction, a snapshot or a patch.
 *
 * @example
 * if (turnHasSteps(collectTurnParts(turn))) showSteps()
 */
export function turnHasSteps<P extends PartLike>(parts: readonly { readonly part: P }[]): boolean {
  return toList(parts).some((entry) => STEP_TYPES.includes(readPartType(toRecord(entry).part)))
}

/**
 * True when the last user message of the list has this id.
 *
 * @example
 * const canEdit = isLastUserMessage(message.info.id, messages)
 */
export function isLastUserMessage<M extends MessageLike>(id: string, messages: readonly M[]): boolean {
  const list = toList(messages)
  for (let at = list.length - 1; at >= 0; at--) {
    if (readRole(list[at]) === 'user') return readInfo(list[at]).id === id
  }
  return false
}
