import { LATEST_MANIFEST_VERSION } from '@svc/manifest'
import type { ManifestFile } from '../../repositories/index.ts'

type UnknownReason = 'unreadable' | 'unparsable' | 'undeclared' | 'restricted'

/** Which version the manifest declares. One that cannot be read is never taken for version 1. */
export function describeVersion(manifest: ManifestFile | undefined, hiddenBy: 'unreadable' | 'restricted' | undefined) {
  const declared = manifest?.parsed?.svc_version
  const version = hiddenBy === undefined && typeof declared === 'number' && Number.isInteger(declared) ? declared : null
  const offersMigration = version === 1
  return {
    version,
    latest_version: LATEST_MANIFEST_VERSION,
    migration_offered: offersMigration,
    target_version: offersMigration ? LATEST_MANIFEST_VERSION : null,
    unknown_reason: version === null ? explain(manifest, hiddenBy) : null,
    path: hiddenBy === undefined ? (manifest?.path ?? null) : null,
  }
}

function explain(manifest: ManifestFile | undefined, hiddenBy: UnknownReason | undefined): UnknownReason {
  if (hiddenBy) return hiddenBy
  return manifest && manifest.parsed === null ? 'unparsable' : 'undeclared'
}
