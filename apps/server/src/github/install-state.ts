import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { equalConstantTime, type TokenHasher } from '../kernel/crypto/index.ts'
import { problem } from '../kernel/http/index.ts'

const Payload = z.tuple([z.uuid(), z.uuid(), z.number().int(), z.string().min(16).max(64)])

export interface InstallState {
  readonly accountId: string
  readonly userId: string
  readonly expiresAt: Date
  readonly nonce: string
}

export const stateLifeMs = 60 * 60_000

/** What travels through GitHub and back: whose installation it will be, signed, for one use within the hour. */
export function signState(hasher: TokenHasher, { accountId, userId, nowMs }: SignedFor): string {
  const payload = [accountId, userId, nowMs + stateLifeMs, randomBytes(18).toString('base64url')]
  const text = Buffer.from(JSON.stringify(payload)).toString('base64url')
  return `${text}.${signatureOf(hasher, text)}`
}

interface SignedFor {
  readonly accountId: string
  readonly userId: string
  readonly nowMs: number
}

/** Throws 400 unless it is one of ours and still good. Whether it was used before is for the store to say. */
export function readState(hasher: TokenHasher, state: string, nowMs: number): InstallState {
  const [text = '', signature = ''] = state.split('.')
  if (!equalConstantTime(signatureOf(hasher, text), signature)) throw badState('is not one that this platform made')
  const [accountId, userId, expiresAtMs, nonce] = Payload.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
  if (expiresAtMs <= nowMs) throw badState('has expired')
  return { accountId, userId, expiresAt: new Date(expiresAtMs), nonce }
}

export function badState(why: string) {
  return problem('invalid_request', {
    say: `The state ${why}.`,
    next: 'Begin the installation again from a fresh install_url.',
  })
}

function signatureOf({ hashToken }: TokenHasher, text: string): string {
  return hashToken(`github install state ${text}`)
}
