import { Ajv2020 } from 'ajv/dist/2020.js'
import { manifestJsonSchema } from '../src/json-schema.ts'
import { isMap, type PlainMap } from '../src/plain-data.ts'
import { MANIFEST_SHAPES } from '../src/sections/manifest.ts'
import { chooseVersion } from '../src/sections/version.ts'
import { CheckContext } from '../src/shape/check-context.ts'
import { checkShape } from '../src/shape/check-shape.ts'
import type { ListShape, MapShape, RecordShape, Shape } from '../src/shape/shape.ts'

const ajv = new Ajv2020({ strict: false, strictNumbers: true })
export const acceptsBySchema = ajv.compile(manifestJsonSchema('combined'))

const bare = { 1: withoutChecks(MANIFEST_SHAPES[1]), 2: withoutChecks(MANIFEST_SHAPES[2]) }

/** What the validator says when only the rules that are also in the schema run. */
export function acceptsByShape(data: unknown): boolean {
  const root: PlainMap = isMap(data) ? data : {}
  const context = new CheckContext(root, 'yaml')
  checkShape(bare[chooseVersion(root, context)], root, context)
  return context.findings.every((finding) => finding.severity !== 'error')
}

function withoutChecks(shape: Shape): Shape {
  switch (shape.kind) {
    case 'list': {
      const { unique: _unique, ...rest } = shape
      const bareList: ListShape = { ...rest, items: withoutChecks(shape.items) }
      return bareList
    }
    case 'map': {
      const { check: _check, ...rest } = shape
      const bareMap: MapShape = { ...rest, values: withoutChecks(shape.values) }
      return bareMap
    }
    case 'record': {
      const { check: _check, ...rest } = shape
      const fields = new Map([...shape.fields].map(([key, field]) => [key, withoutChecks(field)]))
      const bareRecord: RecordShape = { ...rest, fields }
      return bareRecord
    }
    case 'choice':
      return { ...shape, of: shape.of.map(withoutChecks) }
    default:
      return shape
  }
}
