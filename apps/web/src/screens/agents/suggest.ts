import type { Place } from './find-place.ts'

export interface Suggestion {
  readonly label: string
  readonly detail: string
}

/** The parts of a JSON Schema that say what may be written. */
interface Schema {
  readonly $ref?: string
  readonly description?: string
  readonly type?: unknown
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly not?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly then?: Schema
  readonly else?: Schema
  readonly $defs?: Readonly<Record<string, Schema>>
}

/** What the schema allows at a place of a manifest: keys that are not there yet, or the values of one. */
export function suggest(schema: Schema, { path, kind, siblings }: Place): Suggestion[] {
  const found = path.reduce<Schema[]>(
    (schemas, step) => schemas.flatMap((one) => stepInto(schema, one, step)),
    expand(schema, schema),
  )
  const suggestions = kind === 'key' ? found.flatMap(listKeys) : found.flatMap(listValues)
  const isNew = ({ label }: Suggestion) => kind === 'value' || !siblings.includes(label)
  return [...new Map(suggestions.filter(isNew).map((one) => [one.label, one])).values()]
}

const defsPrefix = '#/$defs/'

/** A schema with its references and alternatives, each on its own. */
function expand(root: Schema, schema: Schema, depth = 0): Schema[] {
  if (depth > 8) return []
  const named = schema.$ref?.startsWith(defsPrefix) ? root.$defs?.[schema.$ref.slice(defsPrefix.length)] : undefined
  const others = [named, schema.then, schema.else, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  const all = [...others, ...(schema.allOf ?? [])].flatMap((one) => (one ? expand(root, one, depth + 1) : []))
  return [schema, ...all]
}

function stepInto(root: Schema, schema: Schema, step: string): Schema[] {
  const more = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
  const next = step === '[]' ? schema.items : (schema.properties?.[step] ?? more)
  return next ? expand(root, next) : []
}

/** What is there only to say that it is gone is not offered. */
function listKeys({ properties = {} }: Schema): Suggestion[] {
  return Object.entries(properties).flatMap(([label, one]) =>
    one.not === undefined ? [{ label, detail: one.description ?? '' }] : [],
  )
}

function listValues({ type, enum: values, const: only, description = '' }: Schema): Suggestion[] {
  const own = [...(values ?? []), ...(only === undefined ? [] : [only]), ...(type === 'boolean' ? [true, false] : [])]
  return own.map((value) => ({ label: String(value), detail: description }))
}
