import { LATEST_MANIFEST_VERSION, MANIFEST_VERSIONS, type ManifestVersion } from '../constants.ts'
import { own, type PlainMap } from '../plain-data.ts'
import type { CheckContext } from '../shape/check-context.ts'
import { describeValue } from '../shape/describe-value.ts'
import { anything } from '../shape/shape.ts'
import type { JsonSchema } from '../shape/to-json-schema.ts'

const KEY = 'svc_version'
const ABOUT = 'Version of the manifest: 1 or 2.'

/** Known to both bodies; `chooseVersion` and `versionJsonSchema` hold its rule. */
export const versionField = anything({ about: ABOUT })

/** Runs first: reports a missing or unknown version and says which body rules apply (version 1 when in doubt). */
export function chooseVersion(root: PlainMap, context: CheckContext): ManifestVersion {
  const written = own(root, KEY)
  const version = MANIFEST_VERSIONS.find((known) => known === written)
  if (version !== undefined) {
    if (version === 2 && context.format === 'toml') {
      context.warn('svc.toml is legacy for version 2; move this manifest to svc.yaml', [KEY])
    }
    return version
  }
  if (written === undefined) {
    context.error(`\`${KEY}\` is missing; write \`${KEY}${context.format === 'toml' ? ' =' : ':'} 2\``, [KEY])
  } else if (typeof written === 'number' && Number.isInteger(written) && written > LATEST_MANIFEST_VERSION) {
    context.error(`version ${written} is not supported; the newest supported version is ${LATEST_MANIFEST_VERSION}`, [
      KEY,
    ])
  } else {
    const quoted = written === '1' || written === '2' ? `; write ${written} without quotes` : ''
    context.error(`must be the integer 1 or 2, found ${describeValue(written)}${quoted}`, [KEY])
  }
  return 1
}

export function versionJsonSchema(versions: readonly ManifestVersion[]): JsonSchema {
  return versions.length === 1
    ? { description: ABOUT, const: versions[0] }
    : { description: ABOUT, enum: [...versions] }
}
