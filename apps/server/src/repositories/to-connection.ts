import type { RepositoryRow } from './store.ts'

/** What people are told of a repository. `url` is where git reaches it, unless it is hosted elsewhere. */
export function toConnection(row: RepositoryRow, url: string) {
  return {
    connection_id: row.connectionId,
    account_id: row.accountId,
    project_id: row.projectId,
    provider: row.provider,
    repo_url: row.remoteUrl ?? url,
    repo_owner: row.repoOwner,
    repo_name: row.repoName,
    external_repo_id: row.externalRepoId,
    default_branch: row.defaultBranch,
    auth_method: row.authMethod,
    installation_id: row.installationId,
    visibility: row.visibility,
    status: row.status,
    last_validated_at: row.lastValidatedAt?.toISOString() ?? null,
    last_error_code: row.lastErrorCode,
    last_error_message: row.lastErrorMessage,
    metadata: row.metadata,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}
