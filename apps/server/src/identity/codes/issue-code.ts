import { randomInt } from 'node:crypto'
import type { TokenHasher } from '../../kernel/crypto/index.ts'
import type { Tx } from '../../kernel/database/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import type { Parts } from '../parts.ts'
import { mintSessionToken } from '../sessions/session-tokens.ts'
import { writeMail } from './mail-texts.ts'
import { type CodePurpose, putCode } from './store.ts'

export const codeTtlMs = 10 * 60_000
export const maxWrongTries = 5

export interface CodeRequest {
  readonly email: string
  readonly purpose: CodePurpose
  readonly redirectTo: string | undefined
  /** For an address that must not be told apart from a known one: everything happens, nothing arrives. */
  readonly isDecoy: boolean
  /** Sent in place of the usual text, to somebody who signs up a second time. */
  readonly isKnown?: boolean
  readonly passwordHash?: string
  readonly userMetadata?: Record<string, unknown>
}

/** A link and a 6-digit code, on their way by mail. Both are stored hashed and live ten minutes. */
export async function issueCode(parts: Parts, tx: Tx, request: CodeRequest): Promise<void> {
  const { kernel, mail } = parts
  const codeId = newId()
  const code = String(randomInt(1_000_000)).padStart(6, '0')
  const link = mintSessionToken()
  const leadsNowhere = request.isDecoy || request.isKnown === true
  await putCode(tx.db, {
    codeId,
    email: request.email,
    purpose: request.purpose,
    codeHash: hashCode(kernel.tokenHasher, codeId, code),
    linkHash: hashLink(kernel.tokenHasher, link),
    isDecoy: leadsNowhere,
    redirectTo: request.redirectTo ?? null,
    passwordHash: request.passwordHash ?? null,
    userMetadata: request.userMetadata ?? {},
    wrongTries: 0,
    expiresAt: new Date(kernel.clock.nowMs() + codeTtlMs),
    createdAt: kernel.clock.now(),
  })
  const url = (path: string) => `${parts.publicUrl()}${path}?token=${link}`
  await mail.send(tx, { to: request.email, isDecoy: request.isDecoy, ...writeMail(request, code, url) })
}

export function hashCode(hasher: TokenHasher, codeId: string, code: string): string {
  return hasher.hashToken(`one-time code ${codeId} ${code}`)
}

export function hashLink(hasher: TokenHasher, link: string): string {
  return hasher.hashToken(`one-time link ${link}`)
}
