import { normalizeToolName } from '../tools/normalize-tool-name.ts'
import { isToolPart } from '../turns/guard-part.ts'
import { isAssistant } from '../turns/read-message.ts'
import type { MessageLike } from '../wire/message-types.ts'
import { firstText, toList, toRecord, toText } from '../wire/read-value.ts'

/** Tools that work through a child session named in their metadata, title or output. */
const DELEGATING_TOOL =
  /^(?:task|agent_spawn|agent_message|agent_task(?:_update|_message|_start)?|task_(?:create|start|update|message))$/
/** Tools that only print the child session they started. */
const SPAWNING_TOOL = /^session_(?:spawn|start_background)$/
const SESSION_ID = /\bses_\w+/
const PRINTED_SESSION = /\bSession[\s*]*:[\s*`]*(ses_\w+)/
const HIDDEN_TOOL = /^(todoread|context_info)$/

/**
 * The session a tool call delegated to; undefined for a tool that does not delegate, or before the session is known.
 *
 * @example
 * getChildSessionId({ type: 'tool', tool: 'task', state: { status: 'running', metadata: { sessionId: 'ses_1' } } }) // 'ses_1'
 */
export function getChildSessionId(part: unknown): string | undefined {
  const { tool, state } = toRecord(part)
  const name = normalizeToolName(tool)
  const { metadata, title, output } = toRecord(state)
  if (SPAWNING_TOOL.test(name)) return PRINTED_SESSION.exec(toText(output))?.[1]
  if (!DELEGATING_TOOL.test(name)) return undefined
  return (
    firstText(toRecord(metadata).sessionId) ?? (SESSION_ID.exec(toText(title)) ?? SESSION_ID.exec(toText(output)))?.[0]
  )
}

/**
 * The tool calls of a child session that are worth showing.
 *
 * @example
 * const calls = getChildSessionToolParts(messagesOfChild)
 */
export function getChildSessionToolParts<M extends MessageLike>(messages: readonly M[]): M['parts'][number][] {
  return toList(messages)
    .filter(isAssistant)
    .flatMap((message) => toList<M['parts'][number]>(message.parts))
    .filter((part) => isToolPart(part) && shouldShowToolPart(part))
}

/**
 * False for the tools a reader does not need to see (`todoread`, `context_info`).
 *
 * @example
 * parts.filter(isToolPart).filter(shouldShowToolPart)
 */
export function shouldShowToolPart(part: unknown): boolean {
  return !HIDDEN_TOOL.test(normalizeToolName(toRecord(part).tool))
}
