import { problem } from '../kernel/http/index.ts'
import type { AppRepository, NewAppRepository } from '../projects/index.ts'
import { expectBody, unexpected } from './github-api.ts'
import type { Caller, Parts } from './parts.ts'
import { Refusal, Repository } from './records.ts'
import { chooseInstallation, toAppRepository } from './repositories.ts'

const maxTries = 12

/** A new, empty repository at GitHub. A taken name gets a number. */
export async function createThroughApp(parts: Parts, caller: Caller, wanted: NewAppRepository): Promise<AppRepository> {
  const { app } = parts
  if (!app) {
    throw problem('unavailable', {
      say: 'No GitHub app is set up on this instance, so it makes no repositories there.',
      next: 'Leave installation_id out to make the repository here.',
    })
  }
  const installation = await chooseInstallation(parts, caller, wanted.installationId)
  if (installation.ownerType !== 'Organization') {
    throw problem('invalid_request', {
      say: `GitHub lets an app make repositories for organisations only, not for ${installation.ownerLogin}.`,
      next: 'Make the repository at GitHub and link it, or leave installation_id out.',
    })
  }
  const token = await app.installationToken(installation.installationId)
  for (let attempt = 1; attempt <= maxTries; attempt += 1) {
    const name = attempt === 1 ? wanted.name : `${wanted.name}-${attempt}`
    const answer = await app.api.send('POST', `/orgs/${encodeURIComponent(installation.ownerLogin)}/repos`, token, {
      name,
      private: wanted.isPrivate,
      ...(wanted.description === undefined ? {} : { description: wanted.description }),
    })
    if (isNameTaken(answer)) continue
    if (answer.status !== 201) throw unexpected(answer)
    return toAppRepository(app, installation, expectBody(answer, Repository))
  }
  throw problem('name_taken', { say: `${wanted.name} and ${maxTries - 1} names like it are taken at GitHub.` })
}

/** After a failure: what was made there is of no use to anybody. */
export async function deleteThroughApp(parts: Parts, { installationId, url }: AppRepository): Promise<void> {
  const [owner = '', name = ''] = new URL(url).pathname
    .replace(/\.git$/, '')
    .split('/')
    .slice(-2)
  const token = await parts.app?.installationToken(installationId)
  const path = `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`
  const answer = token && (await parts.app?.api.send('DELETE', path, token))
  if (answer && answer.status !== 204) throw unexpected(answer)
}

function isNameTaken({ status, body }: { status: number; body: unknown }): boolean {
  const said = Refusal.safeParse(body).data?.errors ?? []
  return status === 422 && said.some(({ message }) => /already exists/i.test(message ?? ''))
}
