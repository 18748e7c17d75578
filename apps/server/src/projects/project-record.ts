import { problem } from '../kernel/http/index.ts'
import type { Principal } from '../kernel/principal.ts'
import { findRepositories, type RepositoryRow, toConnection } from '../repositories/index.ts'
import { listFeatures } from './features.ts'
import type { Parts } from './parts.ts'
import type { ProjectRow } from './store/projects.ts'

/** Project records as this caller sees them. */
export async function toProjects(parts: Parts, rows: readonly ProjectRow[], principal: Principal) {
  const ids = rows.map(({ projectId }) => projectId)
  const found = await findRepositories(parts.kernel.database.db, ids)
  const byProject = new Map(found.map((row) => [row.projectId, row]))
  const chosen = await parts.selectedProviders?.(ids)
  const records = []
  for (const row of rows) {
    const repository = byProject.get(row.projectId)
    const provider = chosen?.get(row.projectId) ?? null
    records.push(await toProject(parts, { row, repository, provider }, principal))
  }
  return records
}

export async function toProjectRecord(parts: Parts, row: ProjectRow | undefined, principal: Principal) {
  const [record] = row ? await toProjects(parts, [row], principal) : []
  if (!record) throw problem('not_found')
  return record
}

interface Found {
  readonly row: ProjectRow
  readonly repository: RepositoryRow | undefined
  readonly provider: string | null
}

async function toProject(parts: Parts, { row, repository, provider }: Found, principal: Principal) {
  const role =
    principal.kind === 'user' ? await parts.access.effectiveProjectRole(principal.id, row.projectId) : undefined
  const origin = originOf(parts, row.projectId)
  const features = listFeatures(row, parts.flags)
  const providers = [...(parts.sandboxProviders?.() ?? [])]
  return {
    project_id: row.projectId,
    account_id: row.accountId,
    name: row.name,
    repo_url: repository?.remoteUrl ?? origin,
    git_origin_url: origin,
    default_branch: repository?.defaultBranch ?? 'main',
    manifest_path: repository?.manifestPath ?? 'svc.yaml',
    status: row.status === 'archived' ? ('archived' as const) : ('active' as const),
    metadata: row.metadata,
    last_opened_at: row.lastOpenedAt?.toISOString() ?? null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    project_role: role?.direct ?? null,
    effective_project_role: role?.effective ?? null,
    dashboard_url: `${parts.publicUrl()}/projects/${row.projectId}`,
    experimental: Object.fromEntries(features.map(({ key, enabled }) => [key, enabled])),
    experimental_features: features,
    default_sandbox_provider: provider,
    available_sandbox_providers: providers,
  }
}

/** Where git clients clone and push, whoever hosts the repository. */
export function originOf({ publicUrl }: Pick<Parts, 'publicUrl'>, projectId: string): string {
  return `${publicUrl()}/v1/git/${projectId}.git`
}

export function describeConnection(parts: Parts, row: RepositoryRow) {
  return toConnection(row, originOf(parts, row.projectId))
}
