export { type AgentFileCheck, validateAgentFile } from './agent-front-matter.ts'
export * from './constants.ts'
export { type ManifestEditCode, ManifestEditError } from './edit/edit-error.ts'
export {
  appendEntry,
  hasEntry,
  type ManifestText,
  readEntry,
  removeEntry,
  setEntryValue,
  setTopLevelValue,
} from './edit/edit-manifest.ts'
export { ENTRY_SECTIONS, type EntrySection } from './edit/entry-section.ts'
export { formatIssues } from './format-issues.ts'
export { type GrantSet, resolveGrantSet } from './grants.ts'
export type { ManifestIssue, Severity } from './issue.ts'
export {
  type ManifestSchemaVersion,
  manifestEditorHint,
  manifestJsonSchema,
  manifestSchemaUrl,
  SCHEMA_FILENAMES,
} from './json-schema.ts'
export { type ManifestFormat, manifestCandidatePaths, manifestFormatForPath } from './manifest-file.ts'
export type { EntryProblem, Materialized } from './materialize/check-entries.ts'
export { materializeAgents, type ResolvedAgent, unrestrictedAgent } from './materialize/materialize-agents.ts'
export {
  materializeConnectors,
  type ResolvedConnector,
  type ResolvedPolicy,
} from './materialize/materialize-connectors.ts'
export {
  materializeManifest,
  type ResolvedApp,
  type ResolvedManifest,
  type ResolvedTemplate,
} from './materialize/materialize-manifest.ts'
export { materializeTriggers, type ResolvedTrigger } from './materialize/materialize-triggers.ts'
export { readEnabled } from './materialize/read-enabled.ts'
export { parseManifestText, serializeManifestObject } from './parse-manifest.ts'
export * from './permissions.ts'
export type { PlainMap } from './plain-data.ts'
export { durationSeconds, findCronProblem, isDateTime, isTimeZone } from './schedule.ts'
export { isReservedEnvName } from './sections/apps.ts'
export type { JsonSchema } from './shape/to-json-schema.ts'
export { type ManifestUpgrade, type UpgradeNote, type UpgradeOptions, upgradeManifest } from './upgrade-manifest.ts'
export { type ManifestValidation, validateManifest } from './validate-manifest.ts'
