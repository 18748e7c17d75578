import type { ToolReference } from '../wire/message-types.ts'
import { isRecord, toList, toRecord } from '../wire/read-value.ts'

/** The least a pending request must have to be matched with a tool call. */
export interface RequestLike {
  readonly tool?: ToolReference | null | undefined
}

/**
 * The permission request that waits for this tool call.
 *
 * @example
 * const request = getPermissionForTool(permissions, part.callID)
 */
export function getPermissionForTool<R extends RequestLike>(
  permissions: readonly R[] | null | undefined,
  callID: string,
): R | undefined {
  return findForTool(permissions, callID)
}

/**
 * The question that waits for this tool call.
 *
 * @example
 * const request = getQuestionForTool(questions, part.callID)
 */
export function getQuestionForTool<R extends RequestLike>(
  questions: readonly R[] | null | undefined,
  callID: string,
): R | undefined {
  return findForTool(questions, callID)
}

/**
 * The tool calls that a pending permission and a pending question stand for, permission first; show the request in
 * their place.
 *
 * @example
 * getHiddenToolParts({ tool: { messageID: 'm', callID: 'c' } }, undefined) // [{ messageID: 'm', callID: 'c' }]
 */
export function getHiddenToolParts(permission?: RequestLike | null, question?: RequestLike | null): ToolReference[] {
  return [toRecord(permission).tool, toRecord(question).tool].filter(isToolReference)
}

/**
 * True when a tool call is hidden behind a pending request.
 *
 * @example
 * const shown = parts.filter((part) => !isToolPartHidden(part, message.info.id, hidden))
 */
export function isToolPartHidden(part: unknown, messageId: string, hidden: readonly ToolReference[]): boolean {
  const { callID } = toRecord(part)
  return (
    callID !== undefined && toList(hidden).some((entry) => entry?.callID === callID && entry?.messageID === messageId)
  )
}

function findForTool<R extends RequestLike>(requests: readonly R[] | null | undefined, callID: string): R | undefined {
  return toList(requests).find((request) => callID !== undefined && toRecord(request?.tool).callID === callID)
}

function isToolReference(value: unknown): value is ToolReference {
  return isRecord(value)
}
