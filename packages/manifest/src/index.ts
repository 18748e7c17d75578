export * from './constants.ts'
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
export { parseManifestText, serializeManifestObject } from './parse-manifest.ts'
export * from './permissions.ts'
export type { PlainMap } from './plain-data.ts'
export type { JsonSchema } from './shape/to-json-schema.ts'
export { type ManifestValidation, validateManifest } from './validate-manifest.ts'
