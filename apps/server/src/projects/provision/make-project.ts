import { getStarterFiles, type StarterTemplate } from '@svc/starters'
import { createRepository, deleteRepository, openRepository, readBranch, statFile } from '../../git/index.ts'
import type { Tx } from '../../kernel/database/index.ts'
import { problem } from '../../kernel/http/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import type { Principal } from '../../kernel/principal.ts'
import { addRepository, describeAuthor, type NewRepository } from '../../repositories/index.ts'
import type { Parts } from '../parts.ts'
import { projectChanged } from '../project-changed.ts'
import { finishAttempt } from '../store/attempts.ts'
import { addProject, countActive, type ProjectRow } from '../store/projects.ts'

export interface NewProject {
  readonly principal: Principal
  readonly accountId: string
  readonly name: string
  readonly action: 'project.provision' | 'project.create'
  readonly metadata?: Record<string, unknown>
}

/** The account's limit, checked once before anything is made and once more where the project appears. */
export async function requireRoom(parts: Parts, accountId: string, tx?: Tx): Promise<void> {
  const limit = parts.kernel.config.projectLimit
  if (limit === undefined) return
  const count = tx
    ? await countActive(tx.db, accountId)
    : await parts.kernel.database.transact({ type: 'system' }, ({ db }) => countActive(db, accountId))
  if (count >= limit) throw problem('project_limit_reached', { extras: { limit, count } })
}

/** A bare repository, with the starter as its first commit, and proof that it holds it. */
export async function makeRepository(
  parts: Parts,
  projectId: string,
  options: {
    readonly principal: Principal
    readonly name: string
    readonly defaultBranch: string
    readonly starter: StarterTemplate | undefined
    readonly repoFullName: string
  },
): Promise<void> {
  const path = parts.repositories.pathOf(projectId)
  const { name, defaultBranch, starter, repoFullName, principal } = options
  const files = starter ? getStarterFiles({ projectName: name, repoFullName, template: starter }) : []
  const author = describeAuthor(principal).author
  const initialCommit = starter ? { files, message: `Begin ${name}`, author } : undefined
  const { commit } = await createRepository(path, {
    defaultBranch,
    ...(initialCommit ? { initialCommit } : {}),
  }).catch((cause: unknown) => {
    throw problem('seed_push_failed', { cause, privately: String(cause) })
  })
  if (!starter) return
  const tip = await readBranch(openRepository(path), defaultBranch)
  const manifest = await statFile(openRepository(path), { ref: commit ?? '', path: 'svc.yaml' }).catch(() => undefined)
  if (tip !== commit || !manifest) throw problem('seed_verification_failed')
}

/** Removes a repository that no project came to need; one that is not there is no failure. */
export async function removeRepository(parts: Parts, projectId: string): Promise<void> {
  if (!parts.repositories.existsOnDisk(projectId)) return
  await deleteRepository(openRepository(parts.repositories.pathOf(projectId)))
}

/** The moment a project appears: row, repository, manager role, audit and event, all or nothing. */
export async function addNewProject(
  parts: Parts,
  tx: Tx,
  projectId: string,
  input: NewProject,
  repository: Omit<NewRepository, 'projectId' | 'connectionId' | 'accountId'>,
): Promise<ProjectRow> {
  const { accountId, name, principal } = input
  await requireRoom(parts, accountId, tx)
  const now = parts.kernel.clock.now()
  const project = await addProject(tx.db, {
    projectId,
    accountId,
    name,
    createdBy: principal.id,
    metadata: input.metadata ?? {},
    createdAt: now,
    updatedAt: now,
  })
  await addRepository(tx.db, { ...repository, projectId, accountId, connectionId: newId() })
  await parts.access.grantRole(tx, {
    accountId,
    principal: { type: principal.kind === 'service_account' ? 'service_account' : 'user', id: principal.id },
    roleId: 'builtin:manager',
    projectId,
    source: 'system',
  })
  await tx.audit({
    action: input.action,
    outcome: 'success',
    accountId,
    projectId,
    resourceType: 'project',
    resourceId: projectId,
    after: { name, repository: repository.kind, default_branch: repository.defaultBranch ?? 'main' },
  })
  await tx.publish(projectChanged.event({ project_id: projectId, account_id: accountId, change: 'created' }))
  return project
}

/** Somebody else has taken the attempt over: what was made here is not the project. */
export class AttemptLost extends Error {
  override readonly name = 'AttemptLost'
}

export async function requireAttempt(tx: Tx, attemptId: string, hasKey: boolean): Promise<void> {
  if (!(await finishAttempt(tx.db, attemptId, hasKey))) throw new AttemptLost()
}
