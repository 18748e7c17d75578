import { readString, toList, toRecord } from '../wire/read-value.ts'

/** The info of a message, or an empty record for anything that is not a message. */
export function readInfo(message: unknown): Record<string, unknown> {
  return toRecord(toRecord(message).info)
}

/** The parts of a message, or none. */
export function readParts(message: unknown): readonly unknown[] {
  return toList(toRecord(message).parts)
}

/** The messages that answer a turn's prompt. */
export function readAssistantMessages(turn: unknown): readonly unknown[] {
  return toList(toRecord(turn).assistantMessages)
}

export function readRole(message: unknown): string | undefined {
  return readString(readInfo(message).role)
}

export function isAssistant(message: unknown): boolean {
  return readRole(message) === 'assistant'
}
