import type { Tx } from '../../kernel/database/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import { checkPromptSize } from '../create/check-input.ts'
import { addPrompt, type PromptRow } from '../store/prompts.ts'
import { changeSession, type SessionRow } from '../store/sessions.ts'
import { makeTitle } from './make-title.ts'

export type PromptPart = Readonly<Record<string, unknown>>

export interface PromptInput {
  readonly clientMessageId: string
  readonly messageId: string
  readonly parts: readonly PromptPart[]
  readonly overrides?: PromptOverrides | undefined
  readonly clientSentAtMs?: number | undefined
  readonly remint?: boolean | undefined
  readonly origin?: string
  readonly sentBy?: string | undefined
}

export interface PromptOverrides {
  readonly agent?: string | undefined
  readonly model?: { readonly providerID: string; readonly modelID: string } | undefined
  readonly variant?: string | undefined
  readonly directory?: string | undefined
}

const previewLength = 2000

/** Into the queue, in the caller's transaction. Undefined when the queue has one of this client id already. */
export async function queuePrompt(tx: Tx, session: SessionRow, input: PromptInput): Promise<PromptRow | undefined> {
  const parts = JSON.stringify(input.parts)
  checkPromptSize(parts)
  const text = textOf(input.parts)
  const row = await addPrompt(tx.db, {
    promptId: newId(),
    sessionId: session.sessionId,
    clientMessageId: input.clientMessageId,
    messageId: input.messageId,
    wireMessageId: input.messageId,
    remint: input.remint ?? false,
    clientSentAtMs: input.clientSentAtMs ?? null,
    parts,
    overrides: input.overrides ? JSON.stringify(input.overrides) : null,
    preview: storable(text.slice(0, previewLength)),
    origin: input.origin ?? 'client',
    sentBy: input.sentBy ?? null,
  })
  if (!row) return undefined
  const title = session.generatedName === null ? makeTitle(text) : undefined
  await changeSession(tx.db, session.sessionId, {
    // Any new prompt lets a held queue go on; the first one makes a warm session an ordinary one.
    queueHeld: false,
    isWarm: false,
    ...(title === undefined ? {} : { generatedName: storable(title) }),
  })
  return row
}

export function textOf(parts: readonly PromptPart[]): string {
  return parts.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : [])).join('\n')
}

/** PostgreSQL keeps every character but this one. */
const storable = (text: string) => text.replaceAll('\0', '')
