import type { CommitIdentity } from '../git/index.ts'
import type { Principal } from '../kernel/principal.ts'

export interface Authorship {
  readonly author: CommitIdentity
  /** The person an agent works for. */
  readonly coAuthors: readonly CommitIdentity[]
}

const domain = 'users.noreply.svc'

/** Whose name a commit carries: a person's own, or an agent's with the person it works for beside it. */
export function describeAuthor(principal: Principal): Authorship {
  const person = describePerson(principal)
  if (principal.sessionId === undefined || !principal.agentGrant) return { author: person, coAuthors: [] }
  const { agent } = principal.agentGrant
  const author = { name: agent, email: `${agent}@agents.noreply.svc` }
  return { author, coAuthors: principal.isAutomation ? [] : [person] }
}

function describePerson({ kind, id, email }: Principal): CommitIdentity {
  if (email) return { name: email.split('@')[0] || email, email }
  return {
    name: kind === 'service_account' ? `service account ${id.slice(0, 8)}` : 'svc',
    email: `${id || 'svc'}@${domain}`,
  }
}
