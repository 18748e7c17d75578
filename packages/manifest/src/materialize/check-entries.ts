import { formatPath } from '../issue.ts'
import type { ManifestFormat } from '../manifest-file.ts'
import { isMap, own, type PlainMap } from '../plain-data.ts'
import { CheckContext } from '../shape/check-context.ts'
import { checkShape } from '../shape/check-shape.ts'
import type { Shape } from '../shape/shape.ts'

/** An entry that cannot be used, and why. `slug` is its name where it has one, else its place. */
export interface EntryProblem {
  slug: string
  message: string
}

export interface Materialized<Entry> {
  entries: Entry[]
  problems: EntryProblem[]
}

interface Named {
  name: string
  value: unknown
}

/** Good entries become `Entry`; each bad one is reported next to them. Never throws on plain data. */
export function materializeEntries<Entry>(
  root: PlainMap,
  named: readonly Named[],
  shape: Shape,
  resolve: (entry: PlainMap, name: string) => Entry,
): Materialized<Entry> {
  const result: Materialized<Entry> = { entries: [], problems: [] }
  const seen = new Set<string>()
  for (const { name, value } of named) {
    const message =
      findProblem(root, value, shape) ?? (seen.has(name) ? 'this name is already used; it must be unique' : undefined)
    seen.add(name)
    if (message === undefined && isMap(value)) result.entries.push(resolve(value, name))
    else result.problems.push({ slug: name, message: message ?? 'must be a map' })
  }
  return result
}

/** The entries of a list section, named by `idKey`, or a problem when the section is no list. */
export function namedItems(section: unknown, path: string, idKey: string): Named[] {
  if (section === undefined || section === null) return []
  if (!Array.isArray(section)) return [{ name: path, value: section }]
  return section.map((value: unknown, index) => {
    const id = isMap(value) ? own(value, idKey) : undefined
    return { name: typeof id === 'string' && id !== '' ? id : `${path}[${index}]`, value }
  })
}

function findProblem(root: PlainMap, value: unknown, shape: Shape): string | undefined {
  const format: ManifestFormat = 'yaml'
  const context = new CheckContext(root, format)
  checkShape(shape, value, context)
  const errors = context.findings.filter((finding) => finding.severity === 'error')
  if (errors.length === 0) return undefined
  return errors
    .slice(0, 5)
    .map(({ path, message }) => (path.length === 0 ? message : `${formatPath(path)}: ${message}`))
    .join('; ')
}
