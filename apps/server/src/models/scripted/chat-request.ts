import type { ChatCompletionInput } from '@svc/contract'
import type { z } from 'zod'

/** One request of the chat-completions protocol, as the contract parsed it. */
export type ChatRequest = z.output<typeof ChatCompletionInput>
export type ChatMessage = ChatRequest['messages'][number]
export type ChatTool = NonNullable<ChatRequest['tools']>[number]

/** What a message says in words; pictures and other parts say nothing. */
export function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content
  return (content ?? []).map(({ text }) => text ?? '').join('\n')
}
