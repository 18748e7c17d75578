import { type CredentialSource, plainPrincipal } from '../identity/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { findLiveAccessToken } from './store/grants.ts'

/** Access tokens of third-party apps. They act as the person who approved, as far as their scopes reach. */
export function createOAuthSource({ database: { sql } }: Kernel): CredentialSource {
  return {
    prefix: 'svc_oat_',
    async find(hash) {
      const row = await findLiveAccessToken(sql, hash)
      if (!row) return undefined
      return {
        principal: {
          ...plainPrincipal,
          kind: 'user',
          id: row.userId,
          email: row.email,
          authType: 'oauth',
          credentialId: row.tokenId,
          scopes: row.scopes,
          isOperator: row.isOperator && row.scopes.includes('svc'),
        },
        actor: { type: 'human', source: 'api' },
        expiresAt: row.expiresAt,
      }
    },
  }
}
