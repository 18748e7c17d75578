import * as accountInvites from './account-invites.ts'
import * as accounts from './accounts.ts'
import * as audit from './audit.ts'
import * as auth from './auth.ts'
import * as changeRequests from './change-requests.ts'
import * as github from './github.ts'
import * as iam from './iam.ts'
import type { AnyOperation } from './kernel/operation.ts'
import * as modelCatalog from './model-catalog.ts'
import * as modelSettings from './model-settings.ts'
import * as modelUsage from './model-usage.ts'
import * as modelCalls from './models.ts'
import * as oauth from './oauth.ts'
import * as operator from './operator.ts'
import * as pages from './pages.ts'
import * as projectAccess from './project-access.ts'
import * as projectTokens from './project-tokens.ts'
import * as projects from './projects.ts'
import * as repositories from './repositories.ts'
import * as sandboxProxy from './sandbox-proxy.ts'
import * as sandboxes from './sandboxes.ts'
import * as secrets from './secrets.ts'
import * as sessionPrompts from './session-prompts.ts'
import * as sessionShares from './session-shares.ts'
import * as sessionList from './sessions.ts'
import * as system from './system.ts'
import * as web from './web.ts'

/** One capability, told in several files. */
const sessions = { ...sessionList, ...sessionPrompts, ...sessionShares }
const models = { ...modelCalls, ...modelSettings, ...modelCatalog }

/** Every capability's operations under the word the whole house uses for it. */
export const operations = {
  accountInvites,
  accounts,
  audit,
  auth,
  changeRequests,
  github,
  iam,
  models,
  modelUsage,
  oauth,
  operator,
  pages,
  projectAccess,
  projectTokens,
  projects,
  repositories,
  sandboxes,
  sandboxProxy,
  secrets,
  sessions,
  system,
  web,
} as const

function isOperation(value: unknown): value is AnyOperation {
  return typeof value === 'object' && value !== null && 'at' in value && 'needs' in value && 'returns' in value
}

/** All operations, in the order of their declaration. */
export function listOperations(capabilities: Record<string, Record<string, unknown>> = operations): AnyOperation[] {
  return Object.values(capabilities).flatMap((capability) => Object.values(capability).filter(isOperation))
}
