import type { Tx } from '../kernel/database/index.ts'
import { newId } from '../kernel/ids/index.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { AgentGrant } from '../kernel/principal.ts'
import { mintToken as mintSecret, randomBase62 } from '../kernel/tokens/index.ts'
import type { Revocations } from './revocations.ts'
import {
  addToken,
  changeGrantRows,
  revokeTokenRows,
  type TokenFilter,
  type TokenKind,
  type TokenRow,
} from './tokens/store.ts'

export interface NewToken {
  readonly kind: TokenKind
  readonly accountId: string
  /** Whose rights it carries: a person, or the service account that launched a session. */
  readonly userId?: string | undefined
  readonly serviceAccountId?: string | undefined
  readonly projectId?: string | undefined
  readonly sessionId?: string | undefined
  readonly agentGrant?: AgentGrant | undefined
  /** Launched by a trigger: the agent grant alone decides. */
  readonly isAutomation?: boolean
  readonly name: string
  readonly expiresAt?: Date | undefined
}

export interface Tokens {
  /** A new key. The secret is in this answer and nowhere else: what is stored is its hash. Audit is the caller's. */
  mintToken(tx: Tx, token: NewToken): Promise<{ row: TokenRow; secret: string }>
  /** Ends every active token that fits; within a second no node accepts one. Audit is the caller's. */
  revokeTokens(tx: Tx, filter: TokenFilter): Promise<TokenRow[]>
  /** What the agent behind every active token that fits may use from now on, on every node within a second. Audit is the caller's. */
  changeGrant(tx: Tx, filter: TokenFilter, grant: AgentGrant): Promise<void>
}

export function createTokens(kernel: Pick<Kernel, 'clock' | 'tokenHasher'>, revocations: Revocations): Tokens {
  return {
    async mintToken(tx, token) {
      requireWhole(token)
      const secret = mintSecret(token.kind === 'gateway' ? 'svc_gw_' : 'svc_pat_')
      const row = await addToken(tx.db, {
        tokenId: newId(),
        kind: token.kind,
        accountId: token.accountId,
        userId: token.userId ?? null,
        serviceAccountId: token.serviceAccountId ?? null,
        projectId: token.projectId ?? null,
        sessionId: token.sessionId ?? null,
        agentGrant: token.agentGrant ?? null,
        isAutomation: token.isAutomation ?? false,
        name: token.name,
        publicKey: `pk_${randomBase62(32)}`,
        secretHash: kernel.tokenHasher.hashToken(secret),
        expiresAt: token.expiresAt ?? null,
        createdAt: kernel.clock.now(),
      })
      return { row, secret }
    },
    async revokeTokens(tx, filter) {
      const revoked = await revokeTokenRows(tx.db, filter, kernel.clock.now())
      await revocations.announce(
        tx,
        revoked.map(({ tokenId }) => tokenId),
      )
      return revoked
    },
    async changeGrant(tx, filter, grant) {
      const changed = await changeGrantRows(tx.db, filter, grant)
      // Nobody goes on with what it was remembered as.
      await revocations.announce(
        tx,
        changed.map(({ tokenId }) => tokenId),
      )
    },
  }
}

/** A token that says less than its kind needs would carry more rights than meant. */
function requireWhole({
  kind,
  projectId,
  sessionId,
  agentGrant,
  userId,
  serviceAccountId,
  isAutomation,
}: NewToken): void {
  const isBound = projectId !== undefined
  const hasOwner = userId !== undefined || serviceAccountId !== undefined || isAutomation === true
  if (kind !== 'gateway' && !hasOwner) throw new TypeError(`a ${kind} token needs somebody whose rights it carries`)
  if ((kind === 'project' || kind === 'gateway') && !isBound) throw new TypeError(`a ${kind} token needs a project`)
  if (kind === 'session' && !(isBound && sessionId !== undefined && agentGrant !== undefined)) {
    throw new TypeError('a session token needs a project, a session and an agent grant')
  }
}
