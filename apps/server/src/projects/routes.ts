import { operations } from '@svc/contract'
import { manifestFormatForPath, validateManifest } from '@svc/manifest'
import { readBranch } from '../git/index.ts'
import type { Tx } from '../kernel/database/index.ts'
import { type Call, type Handled, handle, problem } from '../kernel/http/index.ts'
import { answerGit, changeRepository, setHead } from '../repositories/index.ts'
import { archiveProject } from './archive-project.ts'
import { readCloneCredential } from './clone-credential.ts'
import { readDetail } from './detail/read-detail.ts'
import { listForCaller } from './list-projects.ts'
import { setAgentScope } from './manifest/set-agent-scope.ts'
import { setDefaultAgent } from './manifest/set-default-agent.ts'
import type { Parts } from './parts.ts'
import { projectChanged } from './project-changed.ts'
import { originOf, toProjectRecord } from './project-record.ts'
import { linkRemote } from './provision/create-from-remote.ts'
import { createRepoProject } from './provision/create-repo.ts'
import { provisionProject } from './provision/provision-project.ts'
import { gitUsername, mintPushToken } from './push-token.ts'
import {
  changeProject,
  findProject,
  noteOpened,
  type ProjectRow,
  setFeatureOverride,
  setMetadata,
} from './store/projects.ts'

export function projectRoutes(parts: Parts): Handled[] {
  const ops = operations.projects
  const { database, clock } = parts.kernel

  /** A change of the project's own row, with its audit event and its announcement. */
  async function change(
    call: Call,
    event: { action: string; kind: 'updated' | 'features'; after: Record<string, unknown> },
    write: (tx: Tx) => Promise<ProjectRow | undefined>,
  ) {
    const row = await database.transact(call.actor, async (tx) => {
      const changed = await write(tx)
      if (!changed) throw problem('not_found')
      const { projectId, accountId } = changed
      await tx.audit({
        action: event.action,
        outcome: 'success',
        accountId,
        projectId,
        resourceType: 'project',
        resourceId: projectId,
        after: event.after,
      })
      await tx.publish(projectChanged.event({ project_id: projectId, account_id: accountId, change: event.kind }))
      return changed
    })
    return toProjectRecord(parts, row, call.principal)
  }

  const setFeature = (call: Call<typeof ops.updateFeatureFlag> | Call<typeof ops.updateExperimentalFeature>) => {
    const { feature, enabled } = call.body
    const event = { action: 'project.feature', kind: 'features' as const, after: { feature, enabled } }
    return change(call, event, (tx) => setFeatureOverride(tx.db, call.projectId, feature, enabled))
  }

  return [
    handle(ops.list, (call) => listForCaller(parts, call)),
    handle(ops.get, async ({ projectId, principal }) => {
      await noteOpened(database.db, projectId, clock.now())
      return toProjectRecord(parts, await findProject(database.db, projectId), principal)
    }),
    handle(ops.detail, (call) => readDetail(parts, call)),
    handle(ops.create, async (call) => (await linkRemote(parts, call, call.body)).project),
    handle(ops.createRepo, (call) => createRepoProject(parts, call)),
    handle(ops.provision, (call) => provisionProject(parts, call)),
    handle(ops.update, async (call) => {
      const name = call.body.name || undefined
      const defaultBranch = call.body.default_branch || undefined
      const manifestPath = call.body.manifest_path || undefined
      if (defaultBranch !== undefined) await requireBranch(parts, call.projectId, defaultBranch)
      const after = { name, default_branch: defaultBranch, manifest_path: manifestPath }
      return change(call, { action: 'project.update', kind: 'updated', after }, async (tx) => {
        if (defaultBranch !== undefined || manifestPath !== undefined) {
          await changeRepository(tx.db, call.projectId, {
            ...(defaultBranch === undefined ? {} : { defaultBranch }),
            ...(manifestPath === undefined ? {} : { manifestPath }),
          })
        }
        if (defaultBranch !== undefined) {
          const { git } = await parts.repositories.findRepository(call.projectId)
          tx.afterCommit(() => setHead(git, defaultBranch))
        }
        return changeProject(tx.db, call.projectId, name === undefined ? {} : { name })
      })
    }),
    handle(ops.archive, (call) => archiveProject(parts, call)),
    handle(ops.onboardingComplete, (call) => {
      const { completed } = call.body
      const value = completed ? clock.now().toISOString() : undefined
      return change(call, { action: 'project.onboarding', kind: 'updated', after: { completed } }, (tx) =>
        setMetadata(tx.db, call.projectId, 'onboarding_completed_at', value),
      )
    }),
    handle(ops.validateManifest, async ({ projectId, body }) => {
      const { manifestPath } = await parts.repositories.findRepository(projectId)
      const { valid, issues } = validateManifest(body.raw, body.format ?? manifestFormatForPath(manifestPath))
      return { valid, issues }
    }),
    handle(ops.gitToken, async (call) => {
      const repository = await parts.repositories.findRepository(call.projectId)
      if (repository.kind === 'remote') throw problem('bring_your_own_repository')
      if (call.principal.agentGrant && call.principal.sessionId === undefined) {
        throw problem('forbidden', { say: 'A push token may not mint another.' })
      }
      const project = await findProject(database.db, call.projectId)
      if (!project) throw problem('not_found')
      const token = await database.transact(call.actor, async (tx) => {
        await tx.audit({
          action: 'project.git_token',
          outcome: 'success',
          resourceType: 'project',
          resourceId: call.projectId,
        })
        return mintPushToken(parts, tx, call.principal, project)
      })
      return {
        push_token: token,
        git_username: gitUsername,
        repo_id: call.projectId,
        repo_url: originOf(parts, call.projectId),
      }
    }),
    handle(ops.cloneCredential, (call) => readCloneCredential(parts, call)),
    handle(ops.setAgentScope, (call) => answerGit(() => setAgentScope(parts, call))),
    handle(ops.setDefaultAgent, (call) => answerGit(() => setDefaultAgent(parts, call))),
    handle(ops.updateFeatureFlag, setFeature),
    handle(ops.updateExperimentalFeature, setFeature),
  ]
}

/** The default branch must exist, unless the repository is still empty. */
async function requireBranch(parts: Parts, projectId: string, branch: string): Promise<void> {
  await answerGit(async () => {
    const repository = await parts.repositories.openCurrent(projectId)
    const [wanted, current] = await Promise.all([
      readBranch(repository.git, branch),
      readBranch(repository.git, repository.defaultBranch),
    ])
    if (wanted === null && current !== null) throw problem('invalid_ref', { say: `There is no branch ${branch}.` })
  })
}
