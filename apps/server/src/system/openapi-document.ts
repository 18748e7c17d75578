import { buildOpenApi, listOperations } from '@svc/contract'

/** The document never changes while the server runs: rendered once, sent many times. */
export function renderOpenApi(version: string, serverUrl: string): string {
  return JSON.stringify(buildOpenApi(listOperations(), { version, serverUrl }))
}
