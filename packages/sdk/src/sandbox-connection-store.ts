/** Which runtime a config's calls go to. Outside the promises of semver. */
export { activateRuntime, findActiveRuntime, runtimeUrlOf } from './runtime/active-runtime.ts'
export { getSessionHealth, type SessionHealth } from './runtime/get-session-health.ts'
