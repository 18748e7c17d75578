import { MANIFEST_VERSIONS, type ManifestVersion } from './constants.ts'
import { agentFrontMatter } from './sections/agent-front-matter.ts'
import { MANIFEST_SHAPES } from './sections/manifest.ts'
import { versionJsonSchema } from './sections/version.ts'
import { type JsonSchema, toJsonSchema } from './shape/to-json-schema.ts'

export type ManifestSchemaVersion = ManifestVersion | 'combined'

export const SCHEMA_FILENAMES = {
  1: 'svc.v1.schema.json',
  2: 'svc.v2.schema.json',
  combined: 'svc.schema.json',
} as const

const DIALECT = 'https://json-schema.org/draft/2020-12/schema'
const DEFAULT_SITE = 'https://svc.dev'

/** Public address of a published schema. */
export function manifestSchemaUrl(version: ManifestSchemaVersion, site: string = DEFAULT_SITE): string {
  return `${site.replace(/\/+$/, '')}/schema/${SCHEMA_FILENAMES[version]}`
}

/** The first line of a new `svc.yaml`, from which editors find the schema. */
export function manifestEditorHint(site: string = DEFAULT_SITE): string {
  return `# yaml-language-server: $schema=${manifestSchemaUrl(2, site)}`
}

/** The JSON Schema (2020-12) of one version, or of both with the version choosing the body. */
export function manifestJsonSchema(version: ManifestSchemaVersion, options: { site?: string } = {}): JsonSchema {
  const defs = new Map<string, JsonSchema>()
  const head = { $schema: DIALECT, $id: manifestSchemaUrl(version, options.site) }
  const body = version === 'combined' ? compileCombined(defs) : compileVersion(version, defs)
  if (version === 2) toJsonSchema(agentFrontMatter, defs)
  return { ...head, ...body, $defs: Object.fromEntries([...defs].sort(([a], [b]) => (a < b ? -1 : 1))) }
}

function compileVersion(version: ManifestVersion, defs: Map<string, JsonSchema>): JsonSchema {
  const body = toJsonSchema({ ...MANIFEST_SHAPES[version], required: requiredOf(version) }, defs)
  const properties = { ...(body.properties ?? {}), svc_version: versionJsonSchema([version]) }
  return { title: `svc manifest, version ${version}`, ...body, properties }
}

function compileCombined(defs: Map<string, JsonSchema>): JsonSchema {
  for (const version of MANIFEST_VERSIONS) defs.set(`manifestV${version}`, compileVersion(version, defs))
  return {
    title: 'svc manifest',
    type: 'object',
    required: ['svc_version'],
    properties: { svc_version: versionJsonSchema(MANIFEST_VERSIONS) },
    if: { properties: { svc_version: { const: 2 } }, required: ['svc_version'] },
    // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema.
    then: { $ref: '#/$defs/manifestV2' },
    else: { $ref: '#/$defs/manifestV1' },
  }
}

function requiredOf(version: ManifestVersion): string[] {
  return ['svc_version', ...MANIFEST_SHAPES[version].required]
}
