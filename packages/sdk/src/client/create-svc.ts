import { configureSvc } from '../config/platform-config.ts'
import type { ConfigSource, SvcConfig } from '../config/svc-config.ts'
import { requireRuntime } from '../runtime/active-runtime.ts'
import { poolRuntimes } from '../runtime/build-runtime.ts'
import { createSessionHandle } from '../session/create-session-handle.ts'
import type { RunCall } from './build-calls.ts'
import { buildRest, type CreateSvcOptions, sourceOf } from './create-rest.ts'
import type { SvcClient } from './svc-client.ts'

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
  return buildClient(config, sourceOf(config, options), (call) => call())
}

/** The client over any source of config. */
export function buildClient(config: SvcConfig, source: ConfigSource, run: RunCall): SvcClient {
  const rest = buildRest(config, source, run)
  const runtimeAt = poolRuntimes(source, run)
  const session: SvcClient['session'] = (projectId, sessionId) => createSessionHandle(source, run, projectId, sessionId)
  return {
    ...rest,
    session,
    project(id) {
      const calls = rest.project(id)
      const open = (sessionId: string) => session(id, sessionId)
      return { ...calls, session: open, sessions: { ...calls.sessions, session: open } }
    },
    runtime: () => runtimeAt(requireRuntime(source())),
  }
}
