import type { operations } from '@svc/contract'
import type { Call } from '../kernel/http/index.ts'
import { requireApp } from './installations.ts'
import type { Parts } from './parts.ts'
import { splitFullName } from './repositories.ts'

/** A project on a repository at GitHub: through the app, or with a token of the caller's, which needs no app. */
export async function linkRepository(parts: Parts, call: Call<typeof operations.github.linkRepository>) {
  const { body } = call
  if (body.github_token === undefined) requireApp(parts)
  return parts.projects().linkRemote(call, {
    repo_url: body.repo_url ?? urlOf(parts, body.repo_full_name ?? ''),
    name: body.name,
    default_branch: body.default_branch,
    manifest_path: body.manifest_path,
    git_token: body.github_token,
    installation_id: body.installation_id === undefined ? undefined : String(body.installation_id),
  })
}

function urlOf({ webUrl }: Parts, fullName: string): string {
  const { owner, name } = splitFullName(fullName)
  return `${webUrl}/${owner}/${name}.git`
}
