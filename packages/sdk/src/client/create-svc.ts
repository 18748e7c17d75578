import { createAuth } from '../auth/create-auth.ts'
import { configureSvc, platformConfig } from '../config/platform-config.ts'
import type { ConfigSource, SvcConfig } from '../config/svc-config.ts'
import { ApiError, isApiError } from '../errors/api-error.ts'
import { buildCalls, callService, type RunCall } from './build-calls.ts'
import { parseCall } from './parse-calls.ts'
import type { SvcClient, TokenCheck } from './svc-client.ts'

/** How a client is made. */
export interface CreateSvcOptions {
  /** False keeps the config to this client instead of making it the process-wide one. */
  readonly global?: boolean
}

/**
 * A client of the service. Makes no request. The config becomes the process-wide one; servers that act for several
 * people use `createScopedSvc` of `@svc/sdk/server`.
 *
 * @example
 * const svc = createSvc({ backendUrl: 'https://svc.example.com/v1', getToken: async () => token })
 * const projects = await svc.projects.list()
 */
export function createSvc(config: SvcConfig, options?: CreateSvcOptions): SvcClient {
  configureSvc(config, options)
  return buildClient(config, options?.global === false ? () => config : platformConfig, (call) => call())
}

/** The client over any source of config. */
export function buildClient(config: SvcConfig, source: ConfigSource, run: RunCall): SvcClient {
  const { system, ...calls } = buildCalls('', source, run)
  const client = {
    ...calls,
    ...system,
    config,
    validateToken: () => run(() => checkToken(source)),
    auth: createAuth(source),
    project: (id: string) => Object.assign(buildCalls('project', source, run, [id]), { id }),
  }
  // The table gives the calls, the interface their types; the accounting test holds the two together.
  return client as unknown as SvcClient
}

async function checkToken(source: ConfigSource): Promise<TokenCheck> {
  try {
    const identity = await callService(source, parseCall(['Gaccounts/me']), [], { silent: true })
    return { valid: true, identity: identity as NonNullable<TokenCheck['identity']> }
  } catch (error) {
    return { valid: false, error: isApiError(error) ? error : new ApiError(error, { cause: error }) }
  }
}
