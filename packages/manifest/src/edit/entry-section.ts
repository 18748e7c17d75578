import { isMap, own, type PlainMap } from '../plain-data.ts'

export const ENTRY_SECTIONS = ['agents', 'triggers', 'connectors', 'sandbox.templates', 'channels', 'apps'] as const
export type EntrySection = (typeof ENTRY_SECTIONS)[number]

export interface SectionLayout {
  path: string[]
  /** The key that names an entry of a list; undefined when the section is a map keyed by name. */
  idKey: string | undefined
}

const LIST_ID_KEYS: Readonly<Record<EntrySection, string | undefined>> = {
  agents: 'name',
  triggers: 'slug',
  connectors: 'slug',
  'sandbox.templates': 'slug',
  channels: 'platform',
  apps: undefined,
}

/** How a section of this manifest is laid out. `agents` is a list in version 1 and a map in version 2. */
export function layoutOf(section: EntrySection, manifest: PlainMap): SectionLayout {
  const path = section.split('.')
  if (section !== 'agents') return { path, idKey: LIST_ID_KEYS[section] }
  const agents = own(manifest, 'agents')
  const isKeyed = isMap(agents) || (!Array.isArray(agents) && own(manifest, 'svc_version') === 2)
  return { path, idKey: isKeyed ? undefined : LIST_ID_KEYS.agents }
}

export function sectionValue(manifest: PlainMap, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isMap(value) ? own(value, key) : undefined), manifest)
}

/** Index or key of an entry in its section; undefined when it is not there. */
export function findEntry(manifest: PlainMap, layout: SectionLayout, id: string): number | string | undefined {
  const value = sectionValue(manifest, layout.path)
  if (layout.idKey === undefined) return isMap(value) && own(value, id) !== undefined ? id : undefined
  const { idKey } = layout
  const index = Array.isArray(value) ? value.findIndex((item) => isMap(item) && own(item, idKey) === id) : -1
  return index === -1 ? undefined : index
}
