'use client'
import { useMemo, useState } from 'react'
import type { ClassifiedPart } from '../turns/classify-part.ts'
import { type ClassifiedTurn, classifyTurn } from '../turns/classify-turn.ts'

/** A message with its parts classified. */
export type ChatTurn<Message> = ClassifiedTurn & { readonly message: Message }

/**
 * Each message with its parts classified. A message that did not change gives the same turn as before, so that a long
 * conversation costs as little to stream as a short one.
 *
 * @example
 * const turns = useChatTurns(messages)
 */
export function useChatTurns<Message extends Parameters<typeof classifyTurn>[0]>(
  messages: readonly Message[] | null | undefined,
): ChatTurn<Message>[] {
  const [known] = useState(() => new WeakMap<Message, ChatTurn<Message>>())
  return useMemo(() => (messages ?? []).map((message) => recall(known, message)), [messages, known])
}

function recall<Message extends Parameters<typeof classifyTurn>[0]>(
  known: WeakMap<Message, ChatTurn<Message>>,
  message: Message,
): ChatTurn<Message> {
  const turn = known.get(message) ?? { message, ...classifyTurn(message) }
  known.set(message, turn)
  return turn
}

type Kind = ClassifiedPart['kind']

/** One renderer per kind of part. */
export type PartRenderers<Rendered> = {
  readonly [K in Kind]: (part: Extract<ClassifiedPart, { kind: K }>, index: number) => Rendered
} & { readonly fallback?: (part: ClassifiedPart, index: number) => Rendered }

/**
 * Renders parts one by one; synthetic text is left out.
 *
 * @example
 * renderParts(turn.parts, renderers)
 */
export function renderParts<Rendered>(
  parts: readonly ClassifiedPart[],
  renderers: PartRenderers<Rendered>,
): Rendered[] {
  const shown = parts.filter((part) => part.kind !== 'text' || !part.synthetic)
  return shown.map((part, index) => {
    const own = Object.hasOwn(renderers, part.kind) ? Reflect.get(renderers, part.kind) : undefined
    const render: unknown = own ?? renderers.fallback
    if (typeof render === 'function') return render(part, index)
    throw new Error(`renderParts has no renderer for "${part.kind}" and no fallback.`)
  })
}
