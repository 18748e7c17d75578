import { isAssistant, readAssistantMessages, readInfo } from '../turns/read-message.ts'
import type { MessageLike, Turn } from '../wire/message-types.ts'
import { findNewest, toList, toRecord } from '../wire/read-value.ts'
import { extractGatewayErrorDetails, type GatewayErrorDetails } from './extract-gateway-error.ts'
import { unwrapError } from './unwrap-error.ts'

/**
 * Why a turn failed, as one sentence: the error of its first failed answer.
 *
 * @example
 * const problem = getTurnError(turn)
 */
export function getTurnError<M extends MessageLike>(turn: Turn<M>): string | undefined {
  const error = findTurnError(turn)
  return error ? (extractGatewayErrorDetails(error)?.message ?? unwrapError(error)) : undefined
}

/**
 * What the model gateway says about a turn's failure; undefined when the turn did not fail or the gateway said nothing.
 *
 * @example
 * getTurnErrorDetails(turn)?.suggestion
 */
export function getTurnErrorDetails<M extends MessageLike>(turn: Turn<M>): GatewayErrorDetails | undefined {
  return extractGatewayErrorDetails(findTurnError(turn))
}

/**
 * Why a child session failed: the error of its newest failed answer.
 *
 * @example
 * const problem = getChildSessionError(messagesOfChild)
 */
export function getChildSessionError<M extends MessageLike>(messages?: readonly M[] | null): string | undefined {
  return findNewest(toList<unknown>(messages), (message) => {
    const { error } = readInfo(message)
    return error && isAssistant(message) ? unwrapError(error) : undefined
  })
}

/**
 * True when a prompt's summary lists changed files.
 *
 * @example
 * if (hasDiffs(turn.userMessage)) showChanges()
 */
export function hasDiffs<M extends MessageLike>(userMessage: M): boolean {
  return toList(toRecord(readInfo(userMessage).summary).diffs).length > 0
}

const findTurnError = (turn: unknown): unknown =>
  readAssistantMessages(turn)
    .map((message) => readInfo(message).error)
    .find(Boolean)
