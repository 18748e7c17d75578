import {
  type ManifestFormat,
  type ManifestIssue,
  manifestCandidatePaths,
  manifestFormatForPath,
  type PlainMap,
  validateManifest,
} from '@svc/manifest'
import { GitError, type Repository, readFile } from '../../git/index.ts'

export interface ManifestFile {
  readonly path: string
  readonly format: ManifestFormat
  readonly text: string
  /** Names this revision of the file. */
  readonly objectId: string
  /** Null when the text is no YAML or TOML. */
  readonly parsed: PlainMap | null
  readonly valid: boolean
  readonly issues: readonly ManifestIssue[]
}

const maxManifestBytes = 1024 * 1024

/** The manifest at a commit: the first of the candidate files that exists, or undefined when none does. */
export async function readManifest(
  repository: Repository,
  commit: string,
  manifestPath: string,
): Promise<ManifestFile | undefined> {
  for (const path of manifestCandidatePaths(manifestPath)) {
    const file = await readFile(repository, { ref: commit, path, maxBytes: maxManifestBytes }).catch(ignoreMissing)
    if (!file) continue
    const format = manifestFormatForPath(path)
    const text = file.text ?? ''
    const { parsed, valid, issues } = validateManifest(text, format)
    return { path, format, text, objectId: file.objectId, parsed, valid, issues }
  }
  return undefined
}

function ignoreMissing(error: unknown): undefined {
  if (GitError.isInstance(error, 'path_not_found')) return undefined
  throw error
}
