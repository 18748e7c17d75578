'use client'
import { useMemo } from 'react'
import type { ClassifiedPart } from '../turns/classify-part.ts'
import { type ClassifiedTurn, classifyTurn } from '../turns/classify-turn.ts'

/** A message with its parts classified. */
export type ChatTurn<Message> = ClassifiedTurn & { readonly message: Message }

/**
 * Each message with its parts classified; computed again only when the list changes.
 *
 * @example
 * const turns = useChatTurns(messages)
 */
export function useChatTurns<Message extends Parameters<typeof classifyTurn>[0]>(
  messages: readonly Message[] | null | undefined,
): ChatTurn<Message>[] {
  return useMemo(() => (messages ?? []).map((message) => ({ message, ...classifyTurn(message) })), [messages])
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
