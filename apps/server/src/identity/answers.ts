import type { User } from './people/store.ts'
import type { TokenPair } from './sessions/session-tokens.ts'

/** The records of sign-in as they go out. */

export interface AuthUserAnswer {
  id: string
  email: string | null
  email_confirmed_at: string | null
  created_at: string
  last_sign_in_at: string | null
  app_metadata: Record<string, unknown>
  user_metadata: Record<string, unknown>
}

export interface AuthSessionAnswer {
  access_token: string
  refresh_token: string
  token_type: 'bearer'
  expires_in: number
  expires_at: number
}

export interface SignedInAnswer {
  session: AuthSessionAnswer
  user: AuthUserAnswer
}

export function showUser(user: User): AuthUserAnswer {
  return {
    id: user.userId,
    email: user.email,
    email_confirmed_at: user.emailConfirmedAt?.toISOString() ?? null,
    created_at: user.createdAt.toISOString(),
    last_sign_in_at: user.lastSignInAt?.toISOString() ?? null,
    app_metadata: user.appMetadata,
    user_metadata: user.userMetadata,
  }
}

export function showSession(pair: TokenPair, accessExpiresAt: Date, now: Date): AuthSessionAnswer {
  const leftMs = accessExpiresAt.getTime() - now.getTime()
  return {
    access_token: pair.access,
    refresh_token: pair.refresh,
    token_type: 'bearer',
    expires_in: Math.max(0, Math.round(leftMs / 1_000)),
    expires_at: Math.floor(accessExpiresAt.getTime() / 1_000),
  }
}
