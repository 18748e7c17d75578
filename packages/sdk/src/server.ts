/** For servers, `@svc/sdk/server`: one config per request, and sign-in with accounts of the service. Node and Bun only. */
export { createScopedSvc } from './server/create-scoped-svc.ts'
export { createSvcAuth, type SvcAuth, type Viewer } from './server/create-svc-auth.ts'
export { type ForwardOptions, forwardSvcRequest } from './server/forward-request.ts'
export { getScopedConfig, runWithSvc } from './server/scope.ts'
export { SvcAuthError, type SvcAuthErrorCode, type SvcAuthOptions } from './server/svc-auth-options.ts'
