import { stringify as stringifyToml } from 'smol-toml'
import { stringify as stringifyYaml } from 'yaml'
import type { ManifestFormat } from './manifest-file.ts'
import { own, type PlainMap, put } from './plain-data.ts'
import { parseToml } from './text/parse-toml.ts'
import { parseYaml } from './text/parse-yaml.ts'
import type { ParsedText } from './text/parsed-text.ts'

/**
 * Reads manifest text. Throws the parser's own syntax error; an empty document, or one whose top level is no map,
 * gives `{}`.
 */
export function parseManifestText(raw: string, format: ManifestFormat): PlainMap {
  return parseText(raw, format).data
}

export function parseText(raw: string, format: ManifestFormat): ParsedText {
  return format === 'yaml' ? parseYaml(raw) : parseToml(raw)
}

/** Writes a manifest with `svc_version` first; the other keys keep their order. */
export function serializeManifestObject(manifest: PlainMap, format: ManifestFormat): string {
  const ordered: PlainMap = {}
  const version = own(manifest, 'svc_version')
  if (version !== undefined) ordered.svc_version = version
  for (const key of Object.keys(manifest)) {
    if (key !== 'svc_version' && manifest[key] !== undefined) put(ordered, key, manifest[key])
  }
  if (format === 'yaml') return stringifyYaml(ordered, { lineWidth: 0, aliasDuplicateObjects: false })
  const toml = stringifyToml(ordered)
  return toml === '' || toml.endsWith('\n') ? toml : `${toml}\n`
}
