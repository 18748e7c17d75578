import type { MessageLike, PartLike, Turn, TurnPart } from '../wire/message-types.ts'
import { findNewest, toList, toRecord, toText } from '../wire/read-value.ts'
import { isTextPart, readPartType } from './guard-part.ts'
import { readInfo, readRole } from './read-message.ts'

/** Part types that count as a step the agent took. */
const STEP_TYPE = /^(tool|compaction|snapshot|patch)$/

/**
 * All parts of a turn's answers, in order, each with its message.
 *
 * @example
 * const cost = getTurnCost(collectTurnParts(turn))
 */
export function collectTurnParts<M extends MessageLike>(turn: Turn<M>): TurnPart<M>[] {
  return toList(turn?.assistantMessages).flatMap((message) =>
    toList<M['parts'][number]>(message?.parts).map((part) => ({ part, message })),
  )
}

/**
 * The last text part that says something; blank text is passed over.
 *
 * @example
 * const answer = findLastTextPart(collectTurnParts(turn))
 */
export function findLastTextPart<P extends PartLike>(parts: readonly { readonly part: P }[]): P | undefined {
  return findNewest(toList(parts), (entry) => {
    const part = entry?.part
    return isTextPart(part) && toText(part.text).trim() ? part : undefined
  })
}

/**
 * True when the turn did something besides writing: a tool call, a compaction, a snapshot or a patch.
 *
 * @example
 * if (turnHasSteps(collectTurnParts(turn))) showSteps()
 */
export function turnHasSteps<P extends PartLike>(parts: readonly { readonly part: P }[]): boolean {
  return toList(parts).some((entry) => STEP_TYPE.test(readPartType(toRecord(entry).part) ?? ''))
}

/**
 * True when the last user message of the list has this id.
 *
 * @example
 * const canEdit = isLastUserMessage(message.info.id, messages)
 */
export function isLastUserMessage<M extends MessageLike>(id: string, messages: readonly M[]): boolean {
  const last = findNewest(toList<unknown>(messages), (message) =>
    readRole(message) === 'user' ? readInfo(message) : undefined,
  )
  return last !== undefined && last.id === id
}
