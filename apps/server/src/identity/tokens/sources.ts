import type { Kernel } from '../../kernel/kernel.ts'
import { type CredentialSource, type FoundCredential, plainPrincipal } from '../credential-source.ts'
import { findSignedIn, type SignedInRow } from '../sessions/store.ts'
import {
  findLiveServiceAccount,
  findLiveToken,
  type LiveServiceAccount,
  type LiveToken,
  recordServiceAccountUse,
  recordTokenUse,
} from './store.ts'

/** The families of credentials that this capability knows. Others are added by whoever owns their table. */
export function createCredentialSources({ database: { sql }, clock }: Kernel): CredentialSource[] {
  const recordUse = (ids: readonly string[], at: Date) => recordTokenUse(sql, ids, at)
  return [
    {
      prefix: 'svc_sa_',
      find: async (hash) => describe(await findLiveServiceAccount(sql, hash), fromServiceAccount),
      recordUse: (ids, at) => recordServiceAccountUse(sql, ids, at),
    },
    { prefix: 'svc_pat_', find: async (hash) => describe(await findLiveToken(sql, hash, false), fromToken), recordUse },
    {
      prefix: 'svc_gw_',
      worksAt: (path) => path === '/v1/llm' || path.startsWith('/v1/llm/'),
      find: async (hash) => describe(await findLiveToken(sql, hash, true), fromToken),
      recordUse,
    },
    {
      prefix: undefined,
      find: async (hash) => describe(await findSignedIn(sql, hash, 'access', clock.now()), fromSession),
    },
  ]
}

function describe<Row>(row: Row | undefined, read: (row: Row) => FoundCredential): FoundCredential | undefined {
  return row && read(row)
}

export function fromSession(row: SignedInRow): FoundCredential {
  return {
    principal: {
      ...plainPrincipal,
      kind: 'user',
      id: row.userId,
      email: row.email,
      authType: 'session',
      credentialId: row.sessionId,
      isOperator: row.isOperator,
    },
    actor: { type: 'human', source: 'human' },
    expiresAt: row.expiresAt,
  }
}

function fromServiceAccount(row: LiveServiceAccount): FoundCredential {
  return {
    principal: {
      ...plainPrincipal,
      kind: 'service_account',
      id: row.serviceAccountId,
      authType: 'service_account',
      credentialId: row.serviceAccountId,
      homeAccountId: row.accountId,
    },
    actor: {
      type: 'service_account',
      source: 'automation',
      ...(row.agentName === null ? {} : { agentName: row.agentName }),
    },
    expiresAt: row.expiresAt,
    lastUsedAt: row.lastUsedAt,
  }
}

/** A session token acts for whoever launched it: a person, a service account, or a trigger's automation. */
function fromToken(row: LiveToken): FoundCredential {
  const isAgent = row.kind === 'session'
  const isBound = row.projectId !== null
  const launcher = row.userId === null ? 'service_account' : 'user'
  return {
    principal: {
      ...plainPrincipal,
      kind: launcher,
      id: row.userId ?? row.serviceAccountId ?? row.tokenId,
      email: row.email ?? undefined,
      authType: row.kind === 'gateway' ? 'api_key' : 'pat',
      credentialId: row.tokenId,
      homeAccountId: row.accountId,
      boundProjectId: row.projectId ?? undefined,
      sessionId: row.sessionId ?? undefined,
      agentGrant: row.agentGrant ?? undefined,
      isAutomation: row.isAutomation,
      // A key for one project never runs the instance, whoever made it.
      isOperator: row.isOperator === true && !isBound && !isAgent,
    },
    actor: isAgent ? describeAgent(row) : describeKey(row),
    expiresAt: row.expiresAt,
    lastUsedAt: row.lastUsedAt,
  }
}

function describeAgent(row: LiveToken): FoundCredential['actor'] {
  const launcher = row.userId ?? row.serviceAccountId
  const initiatorType = row.userId !== null ? 'human' : row.serviceAccountId !== null ? 'service_account' : 'system'
  return {
    type: 'agent',
    source: 'agent',
    initiatorType,
    ...(launcher === null ? {} : { initiatorId: launcher }),
    ...(row.agentGrant ? { agentName: row.agentGrant.agent } : {}),
  }
}

function describeKey(row: LiveToken): FoundCredential['actor'] {
  return { type: row.userId === null ? 'service_account' : 'human', source: 'api_key' }
}
