import type { BodyOf, operations } from '@svc/contract'
import type { Actor } from '../../kernel/actor.ts'
import { problem } from '../../kernel/http/index.ts'
import type { Parts } from '../parts.ts'
import type { ClientRow } from '../store/clients.ts'
import { exchangeCode } from './exchange-code.ts'
import { refreshPair } from './refresh-pair.ts'
import type { Issued } from './token-answer.ts'

type TokenForm = BodyOf<typeof operations.oauth.token>

export async function grantTokens(parts: Parts, client: ClientRow, form: TokenForm, actor: Actor): Promise<Issued> {
  if (form.grant_type === 'authorization_code') {
    const code = requireField(form, 'code')
    const redirectUri = requireField(form, 'redirect_uri')
    const codeVerifier = requireField(form, 'code_verifier')
    return exchangeCode(parts, client, { code, redirectUri, codeVerifier }, actor)
  }
  if (form.grant_type === 'refresh_token') {
    return refreshPair(parts, client, requireField(form, 'refresh_token'), actor)
  }
  requireField(form, 'grant_type')
  throw problem('unsupported_grant_type')
}

/** An empty field counts as one that was not sent. */
export function requireField<Name extends string>(
  form: { readonly [N in Name]?: string | undefined },
  name: Name,
): string {
  const value = form[name]
  if (value) return value
  throw problem('invalid_request', { say: `${name} is missing.` })
}
