import { type AnyOperation, isPermission, operations, type Permission, scopeOf } from '@svc/contract'
import { type Admission, type Gate, type ParsedInput, type Problem, problem } from '../../kernel/http/index.ts'
import type { Principal } from '../../kernel/principal.ts'
import type { Decision } from '../engine/decide.ts'
import { hasAnyRole } from '../engine/facts.ts'
import * as say from '../engine/sentences.ts'
import type { FactsSource } from '../facts-source.ts'
import { isWhoAmI, type ReachOptions, readField, requireReach } from './reach.ts'
import { type AccountSelection, takesAccount } from './select-account.ts'

export type AccessGate = Pick<Gate, 'authorize' | 'refusal'>

/** May they? Asked once for every call that is not public, and by handlers for what single calls need besides. */
export function createGate(facts: FactsSource, accounts: AccountSelection, options: ReachOptions): AccessGate {
  return {
    async authorize(operation, principal, input) {
      if (principal.kind === 'anonymous') throw problem('unauthorized')
      await requireReach(operation, principal, input, options)
      if (isServiceAccount(principal) && !isWhoAmI(operation)) await requireAnyRole(principal)
      const projectId = await findProjectId(operation, principal, input)
      const project = projectId === undefined ? undefined : await requireProject(projectId)
      const accountId = project?.accountId ?? (await selectAccount(operation, principal, input))
      await requireNeeds(operation, principal, { accountId, projectId })
      return admit(principal, accountId, projectId)
    },

    async refusal(principal, permission, scope) {
      return toRefusal(await facts.decide(principal, permission, scope))
    },
  }

  /** A request into a sandbox is about the project of its session; a sandbox that is none of anybody's is 404. */
  async function findProjectId(operation: AnyOperation, principal: Principal, input: ParsedInput) {
    if (!operation.path.startsWith('/v1/p/')) return readProjectId(operation, principal, input)
    const sandboxId = input.params.sandboxId ?? readField(input, 'sandbox_id')
    if (sandboxId === undefined) return undefined
    const projectId = await options.projectOfSandbox?.(sandboxId)
    if (projectId === undefined) throw problem('not_found')
    return projectId
  }

  /** A service account with nothing assigned gets one answer everywhere, whether or not a thing exists. */
  async function requireAnyRole(principal: Principal): Promise<void> {
    const holdings = await facts.holdings('service_account', principal.id, principal.homeAccountId ?? '')
    if (!hasAnyRole(holdings, facts.nowMs())) throw problem('forbidden', { say: say.noProject })
  }

  async function requireProject(projectId: string) {
    const project = await facts.project(projectId)
    if (!project?.isActive) throw problem('not_found')
    return project
  }

  async function selectAccount(
    operation: AnyOperation,
    principal: Principal,
    input: ParsedInput,
  ): Promise<string | undefined> {
    const named = accounts.namedAccount(input)
    const { needs } = operation
    const isAboutOne = isPermission(needs) || needs === 'account-member' || takesAccount(operation)
    if (named === undefined && !isAboutOne) return undefined
    return named ?? accounts.defaultAccount(principal)
  }

  async function requireNeeds(
    operation: AnyOperation,
    principal: Principal,
    scope: { accountId: string | undefined; projectId: string | undefined },
  ): Promise<void> {
    const { needs } = operation
    if (isPermission(needs)) {
      const refused = toRefusal(await facts.decide(principal, needs, scope))
      if (refused) throw refused
      return
    }
    if (needs === 'account-member') return accounts.requireMember(principal, scope.accountId ?? '')
    requireWord(needs, principal)
    if (needs === 'operator') requireOperatorSession(operation, principal)
    if (takesAccount(operation)) await accounts.requireBelonging(principal, scope.accountId ?? '')
  }
}

type Word = Exclude<AnyOperation['needs'], Permission | 'account-member'>

function requireWord(word: Word, principal: Principal): void {
  const isPerson = principal.kind === 'user' && principal.boundProjectId === undefined && !principal.agentGrant
  if (word === 'signed-in' || word === 'public') return
  if (word === 'user' && isPerson) return
  if (word === 'identity-session' && isPerson && principal.authType === 'session') return
  if (word === 'operator' && isPerson && principal.isOperator) return
  throw problem('forbidden', refusedWords[word])
}

/**
 * Whoever changes the instance or reads its mail can become anybody. No key and no app of the operator may: only the
 * operator, signed in.
 */
function requireOperatorSession({ id, method }: AnyOperation, { authType }: Principal): void {
  if (authType === 'session' || (method === 'GET' && id !== operations.operator.mailbox.id)) return
  throw problem('forbidden', refusedWords['identity-session'])
}

const refusedWords = {
  user: { say: 'Only a person may do this.', next: 'Sign in, or use an account-wide personal access token.' },
  'identity-session': { say: 'Only a signed-in person may do this, with no other credential.', next: 'Sign in.' },
  operator: { say: 'Only the operator of this instance may do this.', next: 'Ask whoever runs it.' },
} as const

/** Only a service account's own secret: an agent's session is judged by roles and grant, a gateway key by its project. */
function isServiceAccount({ kind, authType }: Principal): boolean {
  return kind === 'service_account' && authType === 'service_account'
}

/** A project in the path always counts; one in query, body or token only where the permission is a project's. */
function readProjectId(operation: AnyOperation, principal: Principal, input: ParsedInput): string | undefined {
  const { needs } = operation
  const inPath = input.params.projectId
  if (inPath !== undefined) return inPath.toLowerCase()
  if (!isPermission(needs) || scopeOf(needs) !== 'project') return undefined
  return readField(input, 'project_id')?.toLowerCase() ?? principal.boundProjectId
}

function toRefusal({ allowed, code, reason }: Decision): Problem | undefined {
  if (allowed) return undefined
  if (code === 'not_found') return problem('not_found')
  return problem(code ?? 'forbidden', { say: reason })
}

/** From here on the actor of audit events knows where it acts. */
function admit(principal: Principal, accountId: string | undefined, projectId: string | undefined): Admission {
  if (accountId === undefined) return { principal, accountId, projectId }
  const actor = { ...principal.actor, accountId, ...(projectId === undefined ? {} : { projectId }) }
  return { principal: { ...principal, actor }, accountId, projectId }
}
