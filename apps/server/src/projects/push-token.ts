import type { Tx } from '../kernel/database/index.ts'
import type { Principal } from '../kernel/principal.ts'
import type { Parts } from './parts.ts'

/** Git ignores the user name; this is the one that hosts have taught people to write. */
export const gitUsername = 'x-access-token'

const pushTokenMs = 24 * 60 * 60_000

/** The only permissions a push token can carry. */
const pushPermissions = ['project.gitops.read', 'project.gitops.push']
/** What an agent's session may have been given besides, and keeps. */
const sessionPermissions = [...pushPermissions, 'project.gitops.ref.any', 'project.gitops.ref.delete']

/**
 * A token for one day that reads and pushes this project's repository and does nothing else. One that an agent's session
 * asks for stays the session's: it is bound to the session's own branch by the same rules.
 */
export async function mintPushToken(
  parts: Parts,
  tx: Tx,
  principal: Principal,
  project: { readonly projectId: string; readonly accountId: string; readonly name: string },
): Promise<string> {
  const { secret } = await parts.tokens.mintToken(tx, {
    ...describeHolder(principal),
    ...ownerOf(principal),
    accountId: project.accountId,
    projectId: project.projectId,
    name: `git · ${project.name}`,
    expiresAt: new Date(parts.kernel.clock.nowMs() + pushTokenMs),
  })
  return secret
}

function describeHolder({ sessionId, agentGrant, isAutomation }: Principal) {
  if (sessionId === undefined || !agentGrant) {
    // No agent can have this name, so no agent's own roles are ever mixed in.
    const grant = { agent: 'git push token', connectors: [], svc_cli: pushPermissions, env: [] }
    return { kind: 'pat' as const, agentGrant: grant }
  }
  const { svc_cli: held, agent } = agentGrant
  const isWhole = held === 'all' || held.includes('*')
  const kept = isWhole ? sessionPermissions : sessionPermissions.filter((name) => held.includes(name))
  const svc_cli = [...new Set([...pushPermissions, ...kept])]
  return { kind: 'session' as const, sessionId, isAutomation, agentGrant: { agent, connectors: [], svc_cli, env: [] } }
}

function ownerOf({ kind, id, isAutomation }: Principal) {
  if (isAutomation) return {}
  return kind === 'user' ? { userId: id } : { serviceAccountId: id }
}
