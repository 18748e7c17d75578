import { MANIFEST_FILENAME_YAML } from './constants.ts'

export type ManifestFormat = 'yaml' | 'toml'

/** The files to try, in order, for a project's configured manifest path. The folder is kept. */
export function manifestCandidatePaths(path: string = MANIFEST_FILENAME_YAML): string[] {
  const configured = path === '' ? MANIFEST_FILENAME_YAML : path
  const stem = configured.replace(/(?<=[^/])\.[^./]*$/, '')
  return [`${stem}.yaml`, `${stem}.yml`, `${stem}.toml`]
}

/** `.yaml` and `.yml` are YAML; everything else is TOML. */
export function manifestFormatForPath(path: string): ManifestFormat {
  return /\.ya?ml$/i.test(path) ? 'yaml' : 'toml'
}
