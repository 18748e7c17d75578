import { buildClient } from '../client/create-svc.ts'
import type { SvcClient } from '../client/svc-client.ts'
import type { SvcConfig } from '../config/svc-config.ts'
import { runWithSvc } from './scope.ts'

/**
 * A client that keeps its config to itself: for servers that act for several people at once.
 *
 * @example
 * const svc = createScopedSvc({ backendUrl, getToken: async () => tokenOf(request) })
 * const projects = await svc.projects.list()
 */
export function createScopedSvc(config: SvcConfig): SvcClient {
  const client = buildClient(
    config,
    () => config,
    (call) => runWithSvc(config, call),
  )
  return {
    ...client,
    runtime() {
      throw new Error('A scoped client serves several people, so it has no active runtime. Use session(…).runtime.')
    },
  }
}
