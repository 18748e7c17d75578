import type { Body, Result } from './call-types.ts'

/** `svc.github`: the GitHub app of the instance, account by account. */
export interface GithubCalls {
  /** `configured` is false where the instance has no app; `install_url` is where to install it. */
  getInstallation(accountId?: string): Result<'github.getInstallation'>
  listInstallations(accountId?: string): Result<'github.listInstallations'>
  saveInstallation(input: Body<'github.saveInstallation'>): Result<'github.saveInstallation'>
  /** Without an id, all of the account's. */
  deleteInstallation(accountId?: string, installationId?: string): Result<'github.deleteInstallation'>
  listRepositories(
    accountId?: string,
    installationId?: string,
    options?: { readonly search?: string | undefined; readonly limit?: number | undefined },
  ): Result<'github.listRepositories'>
  listRepositoryBranches(
    accountId: string | undefined,
    installationId: string | undefined,
    repoFullName: string,
  ): Result<'github.listRepositoryBranches'>
  /** A project on a repository at GitHub. */
  linkRepository(input: Body<'github.linkRepository'>): Result<'github.linkRepository'>
}
