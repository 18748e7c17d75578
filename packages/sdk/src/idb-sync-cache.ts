/** Messages kept in the browser between visits. Outside the promises of semver. */
export { createSyncCache, type SyncCache } from './state/create-sync-cache.ts'
