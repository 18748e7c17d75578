import type { MessageLike, Turn } from '../wire/message-types.ts'
import { listOf } from '../wire/read-value.ts'
import { compareDisplayKeys, type DisplayKey, readDisplayKey } from './compare-messages.ts'
import { readInfo, readRole } from './read-message.ts'

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
  if (turns.length === 0) return groupWithoutPrompt(ordered)

  const beforeEveryPrompt: M[] = []
  let current: Turn<M> | undefined
  for (const message of ordered) {
    const { role, parentID } = readInfo(message)
    if (role === 'user') current = turnOfMessage.get(message) ?? current
    if (role !== 'assistant') continue
    const turn = turnOfPrompt.get(parentID) ?? current
    ;(turn?.assistantMessages ?? beforeEveryPrompt).push(message)
  }
  return putInFront(turns, beforeEveryPrompt)
}

/** A copy in display order. Already ordered input, the usual case, costs one pass. */
function sortForDisplay<M extends MessageLike>(messages: readonly M[]): M[] {
  const keyed: { readonly message: M; readonly key: DisplayKey }[] = []
  for (const message of listOf(messages)) keyed.push({ message, key: readDisplayKey(message) })
  keyed.sort((a, b) => compareDisplayKeys(a.key, b.key))
  return keyed.map((entry) => entry.message)
}

function groupWithoutPrompt<M extends MessageLike>(ordered: readonly M[]): Turn<M>[] {
  return ordered
    .filter((message) => readRole(message) === 'assistant')
    .map((message) => ({ userMessage: message, assistantMessages: [] }))
}

function putInFront<M extends MessageLike>(turns: Turn<M>[], orphans: readonly M[]): Turn<M>[] {
  const [first, ...rest] = turns
  if (orphans.length === 0 || first === undefined) return turns
  return [{ userMessage: first.userMessage, assistantMessages: [...orphans, ...first.assistantMessages] }, ...rest]
}
