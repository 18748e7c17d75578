import type { operations } from '@svc/contract'
import { type Call, problem } from '../kernel/http/index.ts'
import { answerGit, requireRepositoryAccess } from '../repositories/index.ts'
import type { Parts } from './parts.ts'
import { originOf } from './project-record.ts'
import { gitUsername, mintGitToken } from './push-token.ts'
import { findProject } from './store/projects.ts'

/** What a sandbox clones with: its session's own access to git, at the platform's own address. */
export async function readCloneCredential(parts: Parts, call: Call<typeof operations.projects.cloneCredential>) {
  const { projectId, principal } = call
  if (principal.sessionId === undefined || !principal.agentGrant) {
    throw problem('session_agent_token_required', {
      say: 'Only the token of an agent’s session gets a credential to clone with.',
      next: 'People mint a token with POST …/git-token.',
    })
  }
  const repository = await parts.repositories.findRepository(projectId)
  await answerGit(() => requireRepositoryAccess(principal, repository))
  const project = await findProject(parts.kernel.database.db, projectId)
  if (!project) throw problem('not_found')
  const { token, expiresAt } = await parts.kernel.database.transact(call.actor, async (tx) => {
    await tx.audit({
      action: 'project.clone_credential',
      outcome: 'success',
      resourceType: 'project',
      resourceId: projectId,
    })
    return mintGitToken(parts, tx, principal, project)
  })
  return {
    repo_url: originOf(parts, projectId),
    auth: { username: gitUsername, token, type: 'basic' as const },
    source: repository.kind,
    expires_at: expiresAt.toISOString(),
  }
}
