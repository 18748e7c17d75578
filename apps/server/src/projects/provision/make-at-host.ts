import type { operations } from '@svc/contract'
import { openRepository, readBranch } from '../../git/index.ts'
import { type Call, problem } from '../../kernel/http/index.ts'
import type { LinkedRow } from '../../repositories/index.ts'
import type { AppHost, AppRepository } from '../app-host.ts'
import type { Parts } from '../parts.ts'
import { makeRepository } from './make-project.ts'

type CreateRepoCall = Call<typeof operations.projects.createRepo>

/** A new repository where the app is installed, with the starter pushed to it if one is named. */
export async function makeAtHost(parts: Parts, call: CreateRepoCall, projectId: string, installationId: string) {
  const { appHost } = parts
  if (!appHost) throw problem('feature_not_supported', { say: 'New repositories are made here, not at another host.' })
  const { body } = call
  const made = await appHost.createRepository(call, {
    installationId,
    name: body.name,
    isPrivate: body.private !== false,
    description: body.description,
  })
  const undo = () => deleteThere(parts, appHost, made)
  const [repoOwner = '', repoName = ''] = new URL(made.url).pathname
    .replace(/\.git$/, '')
    .split('/')
    .slice(-2)
  const linked = {
    kind: 'remote' as const,
    remoteUrl: made.url,
    sealedCredential: null,
    installationId: made.installationId,
    externalRepoId: made.externalId,
  }
  const { defaultBranch } = made
  try {
    if (body.starter_template !== undefined) {
      const repoFullName = `${repoOwner}/${repoName}`
      const options = { principal: call.principal, name: repoName, defaultBranch, repoFullName }
      await makeRepository(parts, projectId, { ...options, starter: body.starter_template })
      await pushStarter(parts, { ...linked, projectId, accountId: call.accountId }, defaultBranch)
    }
  } catch (error) {
    await undo()
    throw error
  }
  const visibility = made.isPrivate ? 'private' : 'public'
  const { provider } = appHost
  return {
    repository: { ...linked, provider, repoOwner, repoName, defaultBranch, authMethod: 'app', visibility },
    undo,
  }
}

async function pushStarter(parts: Parts, linked: LinkedRow, defaultBranch: string): Promise<void> {
  const local = openRepository(parts.repositories.pathOf(linked.projectId))
  const newSha = await readBranch(local, defaultBranch)
  await parts.repositories.remotes
    .push(linked, local, [{ branch: defaultBranch, newSha, expectedSha: null }])
    .catch((cause: unknown) => {
      throw problem('seed_push_failed', { cause, privately: String(cause) })
    })
}

/** What made the project fail is what the caller should read; that the host kept an empty repository goes to the log. */
async function deleteThere(parts: Parts, appHost: AppHost, made: AppRepository): Promise<void> {
  await appHost.deleteRepository(made).catch((error: unknown) => {
    parts.kernel.log.warn('a repository that no project uses could not be deleted', { url: made.url, error })
  })
}
