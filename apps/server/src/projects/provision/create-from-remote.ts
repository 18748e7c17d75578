import type { operations } from '@svc/contract'
import { checkRemoteUrl, GitError, type RemoteRefs, type RemoteUrl } from '../../git/index.ts'
import { type Call, problem } from '../../kernel/http/index.ts'
import { newId } from '../../kernel/ids/index.ts'
import type { Parts } from '../parts.ts'
import { toProjectRecord } from '../project-record.ts'
import { addNewProject, requireRoom } from './make-project.ts'

type CreateCall = Call<typeof operations.projects.create>

/** A project on a repository that lives elsewhere. It is asked for its branches before anything is written. */
export async function createFromRemote(parts: Parts, call: CreateCall) {
  const { body, principal, accountId } = call
  const remote = readUrl(body.repo_url)
  await requireRoom(parts, accountId)
  const refs = await probe(parts, remote, body.git_token)
  const defaultBranch = chooseBranch(body.default_branch, refs)
  const projectId = newId()
  const sealedCredential =
    body.git_token === undefined
      ? null
      : await parts.repositories.remotes.sealCredential({ accountId, projectId }, body.git_token)
  const { owner, name: repoName } = splitPath(remote.path)
  const name = body.name ?? repoName
  const row = await parts.kernel.database.transact(principal.actor, (tx) =>
    addNewProject(
      parts,
      tx,
      projectId,
      { principal, accountId, name, action: 'project.create' },
      {
        kind: 'remote',
        provider: providerOf(remote.host),
        remoteUrl: remote.url,
        repoOwner: owner,
        repoName,
        defaultBranch,
        manifestPath: body.manifest_path ?? 'svc.yaml',
        authMethod: sealedCredential === null ? 'none' : 'token',
        installationId: body.installation_id ?? null,
        sealedCredential,
        lastValidatedAt: parts.kernel.clock.now(),
      },
    ),
  )
  return toProjectRecord(parts, row, principal)
}

function readUrl(text: string): RemoteUrl {
  try {
    return checkRemoteUrl(text)
  } catch (error) {
    if (!GitError.isInstance(error)) throw error
    throw problem('invalid_repository', { say: error.message, cause: error })
  }
}

async function probe(parts: Parts, remote: RemoteUrl, token: string | undefined): Promise<RemoteRefs> {
  try {
    return await parts.repositories.remotes.probe(remote.url, token)
  } catch (error) {
    if (!GitError.isInstance(error)) throw error
    const needsApp = providerOf(remote.host) === 'github' && token === undefined
    if (needsApp && ['remote_unauthorized', 'remote_not_found'].includes(error.code)) {
      throw problem('installation_required', { extras: { install_url: null }, cause: error })
    }
    throw problem('invalid_repository', { say: error.message, cause: error, privately: error.privateText })
  }
}

function chooseBranch(wanted: string | undefined, refs: RemoteRefs): string {
  if (wanted === undefined) return refs.defaultBranch ?? [...refs.branches.keys()][0] ?? 'main'
  if (refs.branches.size === 0 || refs.branches.has(wanted)) return wanted
  throw problem('invalid_repository', { say: `The repository has no branch ${wanted}.` })
}

function providerOf(host: string): string {
  if (host === 'github.com') return 'github'
  return host === 'gitlab.com' ? 'gitlab' : 'git'
}

function splitPath(path: string): { owner: string | null; name: string } {
  const parts = path
    .replace(/\.git$/, '')
    .split('/')
    .filter((part) => part !== '')
  const name = parts.at(-1) ?? 'repository'
  return { owner: parts.slice(0, -1).join('/') || null, name: name.slice(0, 120) }
}
