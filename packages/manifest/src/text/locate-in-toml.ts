import type { Path, Segment } from '../issue.ts'
import type { LineIndex, Position } from './line-index.ts'
import { scanToml } from './scan-toml.ts'

interface Place {
  keyStart: number
  valueStart: number
  children: Map<Segment, Place>
}

/** Finds the place of a path in TOML text; a path that stands nowhere has the place of its nearest ancestor. */
export function locateInToml(text: string, lines: LineIndex): (path: Path, on: 'key' | 'value') => Position {
  const { statements, inner } = scanToml(text)
  const first = statements[0]?.start ?? 0
  const root: Place = { keyStart: first, valueStart: first, children: new Map() }
  for (const { path, keyStart, valueStart } of statements) insert(root, path, keyStart, valueStart)
  for (const { path, keyStart, valueStart } of inner) insert(root, path, keyStart, valueStart)
  return (path, on) => {
    let place = root
    for (const [depth, segment] of path.entries()) {
      const next = place.children.get(segment)
      if (next === undefined) return lines.positionAt(place.valueStart)
      place = next
      if (depth === path.length - 1 && on === 'key') return lines.positionAt(place.keyStart)
    }
    return lines.positionAt(place.valueStart)
  }
}

/** Ancestors that have no place of their own get the place of the first thing inside them. */
function insert(root: Place, path: Path, keyStart: number, valueStart: number): void {
  let place = root
  for (const [depth, segment] of path.entries()) {
    let next = place.children.get(segment)
    if (next === undefined) {
      const isLeaf = depth === path.length - 1
      next = { keyStart, valueStart: isLeaf ? valueStart : keyStart, children: new Map() }
      place.children.set(segment, next)
    }
    place = next
  }
}
