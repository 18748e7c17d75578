import type { operations } from '@svc/contract'
import { formatIssues } from '@svc/manifest'
import type { ReceiveContext, RefUpdate, Refusal } from '../../git/index.ts'
import type { Call } from '../../kernel/http/index.ts'
import { readManifest } from '../manifest/read-manifest.ts'
import type { ProjectRepository } from '../parts.ts'

type PushCall = Call<typeof operations.repositories.receivePack>

const shownIssues = 10

/** Which refs of a push may move, with a sentence for each that may not. */
export async function judgePush(
  call: PushCall,
  repository: ProjectRepository,
  updates: readonly RefUpdate[],
  context: ReceiveContext,
): Promise<Refusal> {
  const refs: Record<string, string> = {}
  for (const update of updates) {
    const why = await judgeUpdate(call, repository, update, context)
    if (why !== undefined) refs[update.ref] = why
  }
  return { refs }
}

async function judgeUpdate(
  call: PushCall,
  repository: ProjectRepository,
  update: RefUpdate,
  context: ReceiveContext,
): Promise<string | undefined> {
  const isDefault = update.ref === `refs/heads/${repository.defaultBranch}`
  if (isDefault && update.isDelete) return `${repository.defaultBranch} is the default branch and cannot be deleted.`
  const { sessionId } = call.principal
  if (sessionId !== undefined) {
    if (isDefault) return `${repository.defaultBranch} is reached through a change request, not by a push.`
    const isOwn = update.ref === `refs/heads/${sessionId}`
    if (!isOwn && !(await call.can('project.gitops.ref.any'))) {
      return `${update.ref}: this session may push its own branch, ${sessionId}. Others need project.gitops.ref.any.`
    }
  }
  if (update.isDelete && !(await call.can('project.gitops.ref.delete'))) {
    return `${update.ref}: deleting needs the permission project.gitops.ref.delete.`
  }
  if (isDefault && update.isForce && !(await call.can('project.gitops.ref.delete'))) {
    return `${repository.defaultBranch}: leaving commits behind needs the permission project.gitops.ref.delete.`
  }
  if (repository.kind === 'remote' && !update.ref.startsWith('refs/heads/')) {
    return `${update.ref}: this repository lives elsewhere; push tags there.`
  }
  return isDefault && update.newSha !== null ? judgeManifest(repository, update.newSha, context) : undefined
}

/** A manifest that is there must be valid: nothing on the default branch breaks the project. */
async function judgeManifest(
  { manifestPath }: ProjectRepository,
  commit: string,
  context: ReceiveContext,
): Promise<string | undefined> {
  const manifest = await readManifest(context.repository, commit, manifestPath)
  if (!manifest || manifest.valid) return undefined
  const errors = manifest.issues.filter(({ severity }) => severity === 'error')
  const shown = formatIssues(errors.slice(0, shownIssues), { color: false }).split('\n').join(' | ')
  return `${manifest.path} would not be valid: ${shown}`
}
