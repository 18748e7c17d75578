import { extractGatewayErrorDetails, type GatewayErrorDetails } from '../status/extract-gateway-error.ts'
import { unwrapError } from '../status/unwrap-error.ts'
import type { MessageLike } from '../wire/message-types.ts'
import { dropUndefined, firstText, toRecord } from '../wire/read-value.ts'
import { type ClassifiedPart, classifyPart } from './classify-part.ts'
import { isAssistant, readInfo, readParts } from './read-message.ts'

/** Why an answer failed: the runtime's name for it, a sentence, and what the model gateway added. */
export interface TurnError extends GatewayErrorDetails {
  readonly name: string
}

/** A message whose parts are ready to render. */
export interface ClassifiedTurn {
  readonly parts: ClassifiedPart[]
  readonly error?: TurnError
  /** True when there is no error and nothing to show. */
  readonly isEmpty: boolean
}

/**
 * Classifies every part of one message and reads its error. Synthetic text stays in the list with `synthetic: true`
 * and never counts as visible.
 *
 * @example
 * const { parts, error, isEmpty } = classifyTurn(message)
 */
export function classifyTurn<M extends MessageLike>(message: M): ClassifiedTurn {
  const parts = readParts(message).map((part) => classifyPart(part))
  const error = readTurnError(message)
  return { ...dropUndefined({ parts, error }), isEmpty: !error && !parts.some(hasContent) }
}

function readTurnError(message: unknown): TurnError | undefined {
  const { error } = readInfo(message)
  if (!error || !isAssistant(message)) return undefined
  const name = firstText(toRecord(error).name) ?? 'Error'
  return { name, message: unwrapError(error), ...extractGatewayErrorDetails(error) }
}

function hasContent(part: ClassifiedPart): boolean {
  if (part.kind === 'text' && part.synthetic) return false
  return 'text' in part ? part.text.trim() !== '' : part.kind !== 'step'
}
