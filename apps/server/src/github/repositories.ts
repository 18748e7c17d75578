import type { operations } from '@svc/contract'
import { type Call, invalid, Problem, problem } from '../kernel/http/index.ts'
import type { AppRepository } from '../projects/index.ts'
import { expectBody, readPages } from './github-api.ts'
import { installationRequired } from './installation-required.ts'
import { makeInstallUrl } from './installations.ts'
import type { App, Caller, Parts } from './parts.ts'
import { BranchPage, Repository, RepositoryPage } from './records.ts'
import { findInstallation, type InstallationRow, listInstallations } from './store.ts'

type Ops = typeof operations.github

export async function listRepositories(parts: Parts, call: Call<Ops['listRepositories']>) {
  const { accountId, query } = call
  const { limit = 100, search = '' } = query
  if (!parts.app) return { account_id: accountId, configured: false, ...noInstallation, repositories: [] }
  const { app } = parts
  const installation = await chooseInstallation(parts, call, query.installation_id)
  const wanted = search.trim().toLowerCase()
  const matches = ({ full_name, description }: { full_name: string; description: string | null }) =>
    full_name.toLowerCase().includes(wanted) || (description ?? '').toLowerCase().includes(wanted)
  const found = await readPages(
    app.api,
    '/installation/repositories',
    await app.installationToken(installation.installationId),
    (answer) => expectBody(answer, RepositoryPage).repositories.filter(matches),
    ({ length }) => length < limit,
  )
  return {
    account_id: accountId,
    configured: true,
    installation_id: installation.installationId,
    owner_login: installation.ownerLogin,
    repositories: found.slice(0, limit),
  }
}

export async function listRepositoryBranches(parts: Parts, call: Call<Ops['listRepositoryBranches']>) {
  const { accountId, query } = call
  const { owner, name } = splitFullName(query.repo_full_name)
  const answered = { account_id: accountId, repo_full_name: query.repo_full_name }
  if (!parts.app) {
    return { ...answered, configured: false, ...noInstallation, default_branch: null, branches: [] }
  }
  const installation = await chooseInstallation(parts, call, query.installation_id, owner)
  if (installation.ownerLogin.toLowerCase() !== owner.toLowerCase()) {
    const message = `must be a repository of ${installation.ownerLogin}, where the app is installed`
    throw invalid([{ path: 'repo_full_name', message }])
  }
  const repository = await readRepository(parts.app, installation, { owner, name })
  if (!repository) throw problem('not_found', { say: `The installation does not reach ${query.repo_full_name}.` })
  const token = await parts.app.installationToken(installation.installationId)
  const branches = await readPages(parts.app.api, `${pathOf(owner, name)}/branches`, token, (answer) =>
    expectBody(answer, BranchPage),
  )
  return {
    ...answered,
    configured: true,
    installation_id: installation.installationId,
    owner_login: installation.ownerLogin,
    default_branch: repository.default_branch,
    branches,
  }
}

export interface WantedRepository {
  readonly owner: string
  readonly name: string
  readonly installationId: string | undefined
}

/** The repository through one of the account's installations; 409 `installation_required` when none reaches it. */
export async function findThroughApp(parts: Parts, caller: Caller, wanted: WantedRepository): Promise<AppRepository> {
  const { app } = parts
  if (!app) throw installationRequired(null)
  const installation = await chooseInstallation(parts, caller, wanted.installationId, wanted.owner)
  const isThere = installation.ownerLogin.toLowerCase() === wanted.owner.toLowerCase()
  const found = isThere ? await readRepository(app, installation, wanted) : undefined
  if (!found) throw installationRequired(await makeInstallUrl(parts, caller))
  return toAppRepository(app, installation, found).catch(async (error: unknown) => {
    const isUnreached = Problem.isInstance(error) && error.code === 'installation_required'
    throw isUnreached ? installationRequired(await makeInstallUrl(parts, caller)) : error
  })
}

export async function toAppRepository(
  app: App,
  { installationId }: InstallationRow,
  found: NonNullable<Awaited<ReturnType<typeof readRepository>>>,
): Promise<AppRepository> {
  const externalId = String(found.id)
  return {
    url: found.clone_url,
    installationId,
    externalId,
    defaultBranch: found.default_branch,
    isPrivate: found.private,
    token: await app.installationToken(installationId, externalId),
  }
}

/** The named one, else the one at this owner, else the one saved last. */
export async function chooseInstallation(
  parts: Parts,
  caller: Caller,
  installationId: string | undefined,
  owner?: string,
): Promise<InstallationRow> {
  const { db } = parts.kernel.database
  const rows =
    installationId === undefined
      ? await listInstallations(db, caller.accountId)
      : [await findInstallation(db, caller.accountId, installationId)]
  const ofOwner = rows.find((row) => owner !== undefined && row?.ownerLogin.toLowerCase() === owner.toLowerCase())
  const chosen = ofOwner ?? rows[0]
  if (chosen) return chosen
  throw installationRequired(await makeInstallUrl(parts, caller))
}

export function splitFullName(fullName: string): { owner: string; name: string } {
  const match = /^([A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))\/([A-Za-z0-9._-]{1,100})$/.exec(fullName)
  if (match?.[1] && match[2] && !/^\.{1,2}$/.test(match[2])) return { owner: match[1], name: match[2] }
  throw invalid([{ path: 'repo_full_name', message: 'must be owner/name' }])
}

/** Undefined when the installation does not reach it: GitHub does not tell that from its absence. */
async function readRepository(
  { api, installationToken }: App,
  { installationId }: InstallationRow,
  { owner, name }: { owner: string; name: string },
) {
  const answer = await api.get(pathOf(owner, name), await installationToken(installationId))
  return answer.status === 404 || answer.status === 403 ? undefined : expectBody(answer, Repository)
}

const pathOf = (owner: string, name: string) => `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`
const noInstallation = { installation_id: null, owner_login: null }
