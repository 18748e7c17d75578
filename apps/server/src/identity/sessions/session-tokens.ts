import { randomBytes } from 'node:crypto'
import type { TokenHasher } from '../../kernel/crypto/index.ts'

export const accessTtlMs = 3_600_000
export const refreshTtlMs = 60 * 24 * 3_600_000
export const pageTtlMs = 12 * 3_600_000
/** The dashboard's script holds a token in memory only, and only for this long. */
export const scriptTtlMs = 15 * 60_000
/** A refresh repeated within this time gets what the first one got: five tabs that refresh at once stay signed in. */
export const reuseWindowMs = 10_000

export interface TokenPair {
  readonly access: string
  readonly refresh: string
}

/** 256 random bits; no prefix tells these from an outside provider's tokens. */
export function mintSessionToken(): string {
  return randomBytes(32).toString('base64url')
}

export function hasSessionTokenShape(token: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(token)
}

export function mintPair(): TokenPair {
  return { access: mintSessionToken(), refresh: mintSessionToken() }
}

/**
 * What comes after a spent refresh token. Derived from the token itself, a nonce in its row and the pepper, so that it
 * can be given out again within the reuse window although no token is ever stored.
 */
export function deriveSuccessor(hasher: TokenHasher, spent: string, nonce: string): TokenPair {
  return {
    access: hasher.hashToken(`successor access ${nonce} ${spent}`),
    refresh: hasher.hashToken(`successor refresh ${nonce} ${spent}`),
  }
}
