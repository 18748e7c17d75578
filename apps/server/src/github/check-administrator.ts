import type { z } from 'zod'
import { problem } from '../kernel/http/index.ts'
import { expectBody, readPages } from './github-api.ts'
import type { App } from './parts.ts'
import { type Installation, InstallationPage, Membership, Person } from './records.ts'

/**
 * Seeing an installation is not administering it: every collaborator of one repository sees it. A personal one is its
 * owner's, an organisation's is for the owners of the organisation.
 */
export async function requireAdministrator(
  { api }: App,
  installation: z.output<typeof Installation>,
  userToken: string,
): Promise<void> {
  const me = await api.get('/user', userToken)
  if (me.status === 401 || me.status === 403) throw refused('GitHub does not accept this user token.')
  const person = expectBody(me, Person)
  const visible = await readPages(
    api,
    '/user/installations',
    userToken,
    (answer) => {
      if (answer.status === 401 || answer.status === 403) throw refused('This token is not one of the app’s users.')
      return expectBody(answer, InstallationPage).installations
    },
    (found) => !found.some(({ id }) => id === installation.id),
  )
  if (!visible.some(({ id }) => id === installation.id)) throw refused(notAdministrator)
  const { account } = installation
  if (account.type !== 'Organization') {
    if (account.id !== person.id) throw refused(notAdministrator)
    return
  }
  const answer = await api.get(`/user/memberships/orgs/${encodeURIComponent(account.login)}`, userToken)
  if (answer.status === 403 || answer.status === 404) throw refused(notAdministrator)
  const { state, role } = expectBody(answer, Membership)
  if (state !== 'active' || role !== 'admin') throw refused(notAdministrator)
}

const notAdministrator = 'This GitHub user does not administer the installation.'

function refused(say: string) {
  return problem('forbidden', { say, next: 'Sign in at GitHub as an owner of where the app is installed.' })
}
