import type { Path } from '../issue.ts'
import type { ManifestFormat } from '../manifest-file.ts'
import { parseManifestText } from '../parse-manifest.ts'
import { isMap, type PlainMap } from '../plain-data.ts'
import { applyToObject, isSameData, type ManifestChange } from './apply-to-object.ts'
import { ManifestEditError } from './edit-error.ts'
import { appendToTomlList, removeFromToml, setInToml } from './edit-toml.ts'
import { appendToYamlList, removeFromYaml, setInYaml } from './edit-yaml.ts'
import { type EntrySection, findEntry, layoutOf, type SectionLayout, sectionValue } from './entry-section.ts'

/** Manifest text and its format: what every edit takes. */
export interface ManifestText {
  text: string
  format: ManifestFormat
}

export function hasEntry(source: ManifestText, section: EntrySection, id: string): boolean {
  const { manifest, layout } = open(source, section)
  return findEntry(manifest, layout, id) !== undefined
}

/** The entry as plain data, without its name for a section keyed by name; undefined when it is not there. */
export function readEntry(source: ManifestText, section: EntrySection, id: string): PlainMap | undefined {
  const { manifest, layout } = open(source, section)
  const at = findEntry(manifest, layout, id)
  const value = sectionValue(manifest, layout.path)
  const entry =
    typeof at === 'number' && Array.isArray(value)
      ? value[at]
      : at !== undefined && isMap(value)
        ? value[at]
        : undefined
  return isMap(entry) ? entry : undefined
}

/**
 * Appends an entry and returns the new text. In a list the name is written under the list's own key (`slug`, `name`).
 *
 * @example appendEntry({ text, format: 'yaml' }, 'triggers', 'daily', { type: 'cron', cron: '0 0 9 * * *', prompt: 'Report' })
 */
export function appendEntry(source: ManifestText, section: EntrySection, id: string, entry: PlainMap): string {
  const { manifest, layout } = open(source, section)
  if (findEntry(manifest, layout, id) !== undefined) {
    throw new ManifestEditError('entry_exists', `${section} already has an entry named ${JSON.stringify(id)}.`)
  }
  if (layout.idKey === undefined)
    return change(source, manifest, { kind: 'set', path: [...layout.path, id], value: entry })
  const item = { [layout.idKey]: id, ...entry, ...{ [layout.idKey]: id } }
  return change(source, manifest, { kind: 'append', path: layout.path, value: item })
}

/** Removes an entry with the comment block directly above it and returns the new text. */
export function removeEntry(source: ManifestText, section: EntrySection, id: string): string {
  const { manifest, layout } = open(source, section)
  return change(source, manifest, { kind: 'remove', path: entryPath(manifest, layout, section, id) })
}

/** Sets one value of an entry (`undefined` removes it) and returns the new text. `key` may be dotted: `auth.type`. */
export function setEntryValue(
  source: ManifestText,
  section: EntrySection,
  id: string,
  key: string,
  value: unknown,
): string {
  const { manifest, layout } = open(source, section)
  const path = [...entryPath(manifest, layout, section, id), ...key.split('.')]
  return setOrRemove(source, manifest, path, value)
}

/** Sets a top-level value such as `default_agent` (`undefined` removes it) and returns the new text. */
export function setTopLevelValue(source: ManifestText, key: string, value: unknown): string {
  return setOrRemove(source, parseManifestText(source.text, source.format), [key], value)
}

function open(source: ManifestText, section: EntrySection): { manifest: PlainMap; layout: SectionLayout } {
  const manifest = parseManifestText(source.text, source.format)
  return { manifest, layout: layoutOf(section, manifest) }
}

function entryPath(manifest: PlainMap, layout: SectionLayout, section: string, id: string): Path {
  const at = findEntry(manifest, layout, id)
  if (at === undefined)
    throw new ManifestEditError('entry_not_found', `${section} has no entry named ${JSON.stringify(id)}.`)
  return [...layout.path, at]
}

function setOrRemove(source: ManifestText, manifest: PlainMap, path: Path, value: unknown): string {
  if (value !== undefined) return change(source, manifest, { kind: 'set', path, value })
  if (applyToObject(manifest, { kind: 'remove', path }) === undefined) return source.text
  return change(source, manifest, { kind: 'remove', path })
}

/** An edit either has exactly the effect it has on the object, or it is refused and the text stays as it was. */
function change(source: ManifestText, manifest: PlainMap, edit: ManifestChange): string {
  const wanted = applyToObject(manifest, edit)
  if (wanted === undefined) throw new ManifestEditError('invalid_target', 'The place to edit is not a map or a list.')
  const text = source.format === 'yaml' ? changeYaml(source.text, edit) : changeToml(source.text, edit)
  if (isSameData(readBack(text, source.format), wanted, edit.kind === 'remove')) return text
  throw new ManifestEditError(
    'layout_not_supported',
    'This file is laid out in a way that cannot be edited in place; edit it by hand.',
  )
}

function readBack(text: string, format: ManifestFormat): unknown {
  try {
    return parseManifestText(text, format)
  } catch {
    // A result that cannot be read is a misjudged layout: the caller refuses the edit.
    return undefined
  }
}

function changeYaml(text: string, edit: ManifestChange): string {
  if (edit.kind === 'set') return setInYaml(text, edit.path, edit.value)
  return edit.kind === 'append' ? appendToYamlList(text, edit.path, edit.value) : removeFromYaml(text, edit.path)
}

function changeToml(text: string, edit: ManifestChange): string {
  if (edit.kind === 'set') return setInToml(text, edit.path, edit.value)
  return edit.kind === 'append' ? appendToTomlList(text, edit.path, edit.value) : removeFromToml(text, edit.path)
}
