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

interface OfProject {
  readonly projectId: string
  readonly accountId: string
  readonly name: string
}

/**
 * A token for one day that reads and pushes this project's repository and does nothing else. One that an agent's session
 * asks for stays the session's: it is bound to the session's own branch by the same rules, and to what the session holds.
 */
export async function mintPushToken(parts: Parts, tx: Tx, principal: Principal, project: OfProject): Promise<string> {
  return (await mintGitToken(parts, tx, principal, project)).token
}

export async function mintGitToken(parts: Parts, tx: Tx, principal: Principal, project: OfProject) {
  const expiresAt = new Date(parts.kernel.clock.nowMs() + pushTokenMs)
  const { secret } = await parts.tokens.mintToken(tx, {
    ...describeHolder(principal),
    ...ownerOf(principal),
    accountId: project.accountId,
    projectId: project.projectId,
    name: `git · ${project.name}`,
    expiresAt,
  })
  return { token: secret, expiresAt }
}

function describeHolder({ sessionId, agentGrant, isAutomation }: Principal) {
  if (sessionId === undefined || !agentGrant) {
    // No agent can have this name, so no agent's own roles are ever mixed in.
    const grant = { agent: 'git push token', connectors: [], svc_cli: pushPermissions, env: [] }
    return { kind: 'pat' as const, agentGrant: grant }
  }
  const { svc_cli: held, agent } = agentGrant
  const isWhole = held === 'all' || held.includes('*')
  const svc_cli = isWhole ? sessionPermissions : sessionPermissions.filter((name) => held.includes(name))
  return { kind: 'session' as const, sessionId, isAutomation, agentGrant: { agent, connectors: [], svc_cli, env: [] } }
}

function ownerOf({ kind, id, isAutomation }: Principal) {
  if (isAutomation) return {}
  return kind === 'user' ? { userId: id } : { serviceAccountId: id }
}
