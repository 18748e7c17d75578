import type { MessageLike, Turn } from '../wire/message-types.ts'
import { toList } from '../wire/read-value.ts'
import { compareDisplayKeys, readDisplayKey } from './compare-messages.ts'
import { readInfo } from './read-message.ts'

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
  const turns: Turn<M>[] = []
  const turnOfPrompt = new Map<unknown, Turn<M>>()
  const turnOfMessage = new Map<M, Turn<M>>()
  for (const message of ordered) {
    const { id, role } = readInfo(message)
    const isRepeat = typeof id === 'string' && turnOfPrompt.has(id)
    if (role !== 'user' || isRepeat) continue
    const turn: Turn<M> = { userMessage: message, assistantMessages: [] }
    turns.push(turn)
    turnOfMessage.set(message, turn)
    if (typeof id === 'string') turnOfPrompt.set(id, turn)
  }
  const beforeEveryPrompt: M[] = []
  let current: Turn<M> | undefined
  for (const message of ordered) {
    const { role, parentID } = readInfo(message)
    if (role === 'user') current = turnOfMessage.get(message) ?? current
    if (role !== 'assistant') continue
    const turn = turnOfPrompt.get(parentID) ?? current
    ;(turn?.assistantMessages ?? beforeEveryPrompt).push(message)
  }
  const [first] = turns
  if (!first) return beforeEveryPrompt.map((message) => ({ userMessage: message, assistantMessages: [] }))
  turns[0] = { ...first, assistantMessages: [...beforeEveryPrompt, ...first.assistantMessages] }
  return turns
}

/** A copy in display order. Already ordered input, the usual case, costs one pass. */
function sortForDisplay<M extends MessageLike>(messages: readonly M[]): M[] {
  return toList(messages)
    .map((message) => ({ message, key: readDisplayKey(message) }))
    .sort((a, b) => compareDisplayKeys(a.key, b.key))
    .map((entry) => entry.message)
}
