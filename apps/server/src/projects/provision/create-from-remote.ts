import { checkRemoteUrl, GitError, type RemoteRefs, type RemoteUrl } from '../../git/index.ts'
import { type Call, problem } from '../../kernel/http/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import { findRepositories } from '../../repositories/index.ts'
import type { AppRepository } from '../app-host.ts'
import type { Parts } from '../parts.ts'
import { describeConnection, toProjectRecord } from '../project-record.ts'
import { addNewProject, requireRoom } from './make-project.ts'

export type Caller = Pick<Call, 'accountId' | 'principal' | 'can'>

export interface LinkInput {
  readonly repo_url: string
  readonly name?: string | undefined
  readonly default_branch?: string | undefined
  readonly manifest_path?: string | undefined
  readonly installation_id?: string | undefined
  readonly git_token?: string | undefined
}

/** A project on a repository that lives elsewhere. It is asked for its branches before anything is written. */
export async function linkRemote(parts: Parts, caller: Caller, input: LinkInput) {
  const { principal, accountId } = caller
  const remote = readUrl(input.repo_url)
  await requireRoom(parts, accountId)
  const through = await findThroughApp(parts, caller, remote, input)
  const refs = await probe(parts, through?.url ?? remote.url, input.git_token ?? through?.token)
  const projectId = newId()
  const token = input.git_token
  const sealedCredential =
    token === undefined ? null : await parts.repositories.remotes.sealCredential({ accountId, projectId }, token)
  const address = through ? readUrl(through.url) : remote
  const { owner, name: repoName } = splitPath(address.path)
  const row = await parts.kernel.database.transact(principal.actor, (tx) =>
    addNewProject(
      parts,
      tx,
      projectId,
      { principal, accountId, name: input.name ?? repoName, action: 'project.create' },
      {
        kind: 'remote',
        provider: providerOf(parts, remote),
        remoteUrl: address.url,
        repoOwner: owner,
        repoName,
        defaultBranch: chooseBranch(input.default_branch, refs, through?.defaultBranch),
        manifestPath: input.manifest_path ?? 'svc.yaml',
        sealedCredential,
        lastValidatedAt: parts.kernel.clock.now(),
        ...describeAccess(remote, token, through),
      },
    ),
  )
  const [repository] = await findRepositories(parts.kernel.database.db, [projectId])
  const project = await toProjectRecord(parts, row, principal)
  return { project, git_connection: repository ? describeConnection(parts, repository) : null }
}

/** A repository at the app's host is reached through the app unless the caller brings a token. */
async function findThroughApp(parts: Parts, caller: Caller, remote: RemoteUrl, input: LinkInput) {
  if (input.git_token !== undefined || !parts.appHost?.holds(remote)) return undefined
  const { owner, name } = splitPath(remote.path)
  return parts.appHost.findRepository(caller, { owner: owner ?? '', name, installationId: input.installation_id })
}

export function describeAccess(remote: RemoteUrl, token: string | undefined, through: AppRepository | undefined) {
  if (through) {
    return {
      authMethod: 'app',
      installationId: through.installationId,
      externalRepoId: through.externalId,
      visibility: through.isPrivate ? 'private' : 'public',
    }
  }
  if (token === undefined) return { authMethod: 'none' }
  return { authMethod: remote.protocol === 'ssh' ? 'ssh_key' : 'token' }
}

function readUrl(text: string): RemoteUrl {
  try {
    return checkRemoteUrl(text)
  } catch (error) {
    if (!GitError.isInstance(error)) throw error
    throw problem('invalid_repository', { say: error.message, cause: error })
  }
}

async function probe(parts: Parts, url: string, token: string | undefined): Promise<RemoteRefs> {
  try {
    return await parts.repositories.remotes.probe(url, token)
  } catch (error) {
    if (!GitError.isInstance(error)) throw error
    throw problem('invalid_repository', { say: error.message, cause: error, privately: error.privateText })
  }
}

function chooseBranch(wanted: string | undefined, refs: RemoteRefs, known: string | undefined): string {
  if (wanted === undefined) return refs.defaultBranch ?? known ?? [...refs.branches.keys()][0] ?? 'main'
  if (refs.branches.size === 0 || refs.branches.has(wanted)) return wanted
  throw problem('invalid_repository', { say: `The repository has no branch ${wanted}.` })
}

function providerOf({ appHost }: Parts, remote: RemoteUrl): string {
  if (appHost?.holds(remote)) return appHost.provider
  return remote.host === 'gitlab.com' ? 'gitlab' : 'git'
}

function splitPath(path: string): { owner: string | null; name: string } {
  const parts = path
    .replace(/\.git$/, '')
    .split('/')
    .filter((part) => part !== '')
  const name = parts.at(-1) ?? 'repository'
  return { owner: parts.slice(0, -1).join('/') || null, name: name.slice(0, 120) }
}
