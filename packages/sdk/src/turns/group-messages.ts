import type { MessageLike, Turn } from '../wire/message-types.ts'
import { readString, toList } from '../wire/read-value.ts'
import { compareDisplayKeys, readDisplayKey } from './compare-messages.ts'
import { isAssistant, readInfo, readRole } from './read-message.ts'

/**
 * Groups messages into turns: one user message with the assistant messages that answer it. An answer joins the prompt
 * its `parentID` names; without one it joins the prompt before it, and before every prompt it joins the first turn.
 * The caller's own message objects are kept. Messages of other roles are left out.
 *
 * @example
 * const turns = groupMessagesIntoTurns(messages)
 * turns[0]?.assistantMessages.length
 */
export function groupMessagesIntoTurns<M extends MessageLike>(messages: readonly M[]): Turn<M>[] {
  const ordered = sortForDisplay(messages)
  /** By the prompt's id; a prompt without one stands for itself. */
  const turnOfPrompt = new Map<unknown, Turn<M>>()
  const open = (message: M): Turn<M> => ({ userMessage: message, assistantMessages: [] })
  for (const message of ordered) {
    const key = readString(readInfo(message).id) ?? message
    if (readRole(message) === 'user' && !turnOfPrompt.has(key)) turnOfPrompt.set(key, open(message))
  }
  const beforeEveryPrompt: M[] = []
  let current: Turn<M> | undefined
  for (const message of ordered) {
    const { id, parentID } = readInfo(message)
    const own = turnOfPrompt.get(readString(id) ?? message)
    if (own?.userMessage === message) current = own
    const turn = turnOfPrompt.get(parentID) ?? current
    if (isAssistant(message)) (turn?.assistantMessages ?? beforeEveryPrompt).push(message)
  }
  const [first, ...turns] = turnOfPrompt.values()
  if (!first) return beforeEveryPrompt.map(open)
  return [{ ...first, assistantMessages: [...beforeEveryPrompt, ...first.assistantMessages] }, ...turns]
}

/** A copy in display order. Already ordered input, the usual case, costs one pass. */
function sortForDisplay<M extends MessageLike>(messages: readonly M[]): M[] {
  return toList(messages)
    .map((message) => ({ message, key: readDisplayKey(message) }))
    .sort((a, b) => compareDisplayKeys(a.key, b.key))
    .map((entry) => entry.message)
}
