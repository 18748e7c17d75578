import { rename, rm } from 'node:fs/promises'
import type { operations } from '@svc/contract'
import { closeRepository, openRepository } from '../git/index.ts'
import { type Call, problem } from '../kernel/http/index.ts'
import type { Parts } from './parts.ts'
import { projectChanged } from './project-changed.ts'
import { purging } from './provision/repair.ts'
import { changeProject } from './store/projects.ts'

type ArchiveCall = Call<typeof operations.projects.archive>

/** Archives a project and ends its tokens. A purge moves the repository aside first, and back if nothing was archived. */
export async function archiveProject(parts: Parts, { projectId, query, actor }: ArchiveCall) {
  const repository = await parts.repositories.findRepository(projectId)
  const purges = query.purge === true && repository.kind === 'managed'
  const aside = purges ? await setAside(parts, projectId) : undefined
  try {
    await parts.kernel.database.transact(actor, async (tx) => {
      const row = await changeProject(tx.db, projectId, { status: 'archived' })
      if (!row) throw problem('not_found')
      await parts.tokens.revokeTokens(tx, { projectId })
      await tx.audit({
        action: 'project.archive',
        outcome: 'success',
        accountId: row.accountId,
        projectId,
        resourceType: 'project',
        resourceId: projectId,
        metadata: { purge: purges },
      })
      await tx.publish(projectChanged.event({ project_id: projectId, account_id: row.accountId, change: 'archived' }))
      parts.access.noteChange(tx, row.accountId)
    })
  } catch (error) {
    if (aside) await rename(aside, parts.repositories.pathOf(projectId))
    throw error
  }
  if (aside) await rm(aside, { recursive: true, force: true })
  return { ok: true as const, archived: true as const, repo_deleted: purges }
}

async function setAside(parts: Parts, projectId: string): Promise<string> {
  const path = parts.repositories.pathOf(projectId)
  closeRepository(openRepository(path))
  try {
    await rename(path, `${path}${purging}`)
    return `${path}${purging}`
  } catch (cause) {
    throw problem('purge_failed', { cause, privately: String(cause) })
  }
}
