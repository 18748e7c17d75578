import { createAuth } from '../auth/create-auth.ts'
import { configureSvc, platformConfig } from '../config/platform-config.ts'
import type { ConfigSource, SvcConfig } from '../config/svc-config.ts'
import { toApiError } from '../http/report-error.ts'
import { buildCalls, callService, type RunCall } from './build-calls.ts'
import { parseCall } from './parse-calls.ts'
import type { RestClient, TokenCheck } from './svc-client.ts'

/** How a client is made. */
export interface CreateSvcOptions {
  /** False keeps the config to this client instead of making it the process-wide one. */
  readonly global?: boolean
}

/**
 * The calls of the service and nothing else: no sandbox, no streams, no files of a session. A third of the size of
 * `createSvc` for programs that need no more.
 *
 * @example
 * const svc = createRest({ backendUrl: 'https://svc.example.com/v1', getToken: async () => token })
 * const projects = await svc.projects.list()
 */
export function createRest(config: SvcConfig, options?: CreateSvcOptions): RestClient {
  configureSvc(config, options)
  return buildRest(config, sourceOf(config, options), (call) => call())
}

/** Where a client takes its config from: the process-wide one unless it was kept to the client. */
export const sourceOf = (config: SvcConfig, options?: CreateSvcOptions): ConfigSource =>
  options?.global === false ? () => config : platformConfig

/** The routes of shares take and give a little more than the calls. */
interface ShareRoutes {
  list(sandboxId: string): Promise<{ shares: unknown }>
  revoke(token: string, sandboxId: string): Promise<unknown>
}

/** The calls over any source of config. */
export function buildRest(config: SvcConfig, source: ConfigSource, run: RunCall): RestClient {
  const build = (root: string, ...ids: string[]) => buildCalls(root, source, run, ids)
  const { system, sandboxShares, ...calls } = build('')
  const shares = sandboxShares as unknown as ShareRoutes
  const client = {
    ...calls,
    ...system,
    config,
    validateToken: () => run(() => checkToken(source)),
    auth: createAuth(source),
    sandboxShares: {
      ...shares,
      list: async (sandboxId: string) => (await shares.list(sandboxId)).shares,
      revoke: (sandboxId: string, token: string) => shares.revoke(token, sandboxId),
    },
    project: (id: string) => Object.assign(build('project', id), { id }),
    session: (projectId: string, sessionId: string) => build('session', projectId, sessionId),
  }
  // The table gives the calls, the interface their types; the accounting test holds the two together.
  return client as unknown as RestClient
}

async function checkToken(source: ConfigSource): Promise<TokenCheck> {
  try {
    const identity = await callService(source, parseCall(['Gaccounts/me']), [], { silent: true })
    return { valid: true, identity: identity as NonNullable<TokenCheck['identity']> }
  } catch (error) {
    return { valid: false, error: toApiError(error) }
  }
}
