import type { Path } from '../issue.ts'
import type { PlainMap } from '../plain-data.ts'
import type { Position } from './line-index.ts'

export interface ParsedText {
  /** `{}` when the document is empty or its top level is no map. */
  data: PlainMap
  topLevel: 'map' | 'empty' | 'other'
  /** Where a path stands, or the nearest ancestor that stands anywhere. Never throws. */
  locate(path: Path, on: 'key' | 'value'): Position
}
