import fc from 'fast-check'
import { MANIFEST_SHAPES } from '../src/sections/manifest.ts'
import type { RecordShape, Shape } from '../src/shape/shape.ts'

const WORDS = [
  'a',
  't',
  'x-1',
  'A',
  'A_B',
  'b_c',
  '5m',
  '30s',
  'a/b',
  '/x',
  '../x',
  'on',
  'Off',
  '',
  '#aabbcc',
  'default',
]
const LONG = ['x'.repeat(128), 'x'.repeat(129), 'y'.repeat(1025), 'z'.repeat(2049), 'a\r\nb', '😀']
const CRONS = [
  '* * * * *',
  '0 0 9 * * *',
  'UTC',
  'Europe/Berlin',
  '2030-01-01T00:00:00Z',
  'svc_slack',
  'computer',
  'shared',
]
const KEYS = [
  '__proto__',
  'constructor',
  'toString',
  'other',
  'agent_scope',
  'sandboxes',
  'apps',
  'image',
  'secret',
  'env',
]

const noise: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, 1, -1, 1.5, 8080, 70_000, 'all', 'none', [], {}, [''], [{}], { a: 1 }),
  fc.constantFrom(...WORDS, ...LONG, ...CRONS),
)

/** Manifests of a version: mostly well-formed, with wrong values, missing and foreign keys mixed in. */
export function arbitraryManifest(version: 1 | 2): fc.Arbitrary<Record<string, unknown>> {
  return fromRecord(MANIFEST_SHAPES[version]).map((manifest) => ({ ...manifest, svc_version: version }))
}

function from(shape: Shape): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 30, arbitrary: wellFormed(shape) }, { weight: 1, arbitrary: noise })
}

function wellFormed(shape: Shape): fc.Arbitrary<unknown> {
  switch (shape.kind) {
    case 'any':
      return noise
    case 'text': {
      if (shape.words !== undefined) return fc.constantFrom(...shape.words)
      const pool = [...WORDS, ...LONG, ...CRONS]
      const { pattern } = shape
      const fitting = pool.filter((word) => word !== '' && (pattern === undefined || pattern.regexp.test(word)))
      return fc.constantFrom(...(fitting.length === 0 ? pool : fitting))
    }
    case 'number':
      return fc.integer({ min: shape.min ?? 0, max: Math.min(shape.max ?? 100, (shape.min ?? 0) + 200) })
    case 'boolean':
      return fc.boolean()
    case 'list':
      return fc.array(from(shape.items), { minLength: shape.minItems ?? 0, maxLength: 3 })
    case 'map':
      return fc.dictionary(
        shape.keys === undefined ? fc.constantFrom(...WORDS) : textOf(shape.keys),
        from(shape.values),
        {
          minKeys: Math.min(1, shape.minEntries ?? 0),
          maxKeys: 3,
          noNullPrototype: true,
        },
      )
    case 'choice':
      return fc.oneof(...shape.of.map(from))
    case 'record':
      return fromRecord(shape)
  }
}

function textOf(shape: Shape): fc.Arbitrary<string> {
  return wellFormed(shape).map(String)
}

function fromRecord(shape: RecordShape): fc.Arbitrary<Record<string, unknown>> {
  const optional = [...shape.fields].map(([key, field]) => {
    const weight = shape.required.includes(key) ? 40 : 1
    const value = from(field).map((made): [string, unknown][] => [[key, made]])
    return fc.oneof({ weight, arbitrary: value }, { weight: 2, arbitrary: fc.constant<[string, unknown][]>([]) })
  })
  const foreign = fc.oneof(
    { weight: 12, arbitrary: fc.constant<[string, unknown][]>([]) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...KEYS), noise).map((pair): [string, unknown][] => [pair]) },
  )
  return fc.tuple(foreign, ...optional).map((groups) => Object.fromEntries(groups.flat()))
}
