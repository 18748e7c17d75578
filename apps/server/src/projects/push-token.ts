import type { Tx } from '../kernel/database/index.ts'
import type { Principal } from '../kernel/principal.ts'
import type { Parts } from './parts.ts'

/** Git ignores the user name; this is the one that hosts have taught people to write. */
export const gitUsername = 'x-access-token'

const pushTokenMs = 24 * 60 * 60_000

/** A token for one day that reads and pushes this project's repository and does nothing else. */
export async function mintPushToken(
  parts: Parts,
  tx: Tx,
  principal: Principal,
  project: { readonly projectId: string; readonly accountId: string; readonly name: string },
): Promise<string> {
  const owner = principal.kind === 'user' ? { userId: principal.id } : { serviceAccountId: principal.id }
  const { secret } = await parts.tokens.mintToken(tx, {
    kind: 'pat',
    ...owner,
    accountId: project.accountId,
    projectId: project.projectId,
    name: `git · ${project.name}`,
    // No agent can have this name, so no agent's own roles are ever mixed in.
    agentGrant: {
      agent: 'git push token',
      connectors: [],
      svc_cli: ['project.gitops.read', 'project.gitops.push'],
      env: [],
    },
    expiresAt: new Date(parts.kernel.clock.nowMs() + pushTokenMs),
  })
  return secret
}
