import type { PlainMap } from '../plain-data.ts'
import type { CheckContext } from './check-context.ts'

/**
 * The one place a manifest rule is written. A shape compiles to JSON Schema (`to-json-schema.ts`) and is interpreted by
 * the validator (`check-shape.ts`), so both accept the same documents. `check` and `unique` are validator-only.
 */
export type Shape = AnyShape | TextShape | NumberShape | BooleanShape | ListShape | MapShape | RecordShape | ChoiceShape

interface Described {
  /** For editors and messages: one sentence about what the value does. */
  about?: string
  /** Name under `$defs` in the published schema. */
  name?: string
}

export interface AnyShape extends Described {
  kind: 'any'
}

export interface Pattern {
  source: string
  regexp: RegExp
  /** Completes "must be …". */
  says: string
  /** The valid form a person most likely meant; shown only when it fits the pattern. */
  nearest?: (written: string) => string
}

export interface TextShape extends Described {
  kind: 'text'
  minChars?: number
  maxChars?: number
  pattern?: Pattern
  words?: readonly string[]
  /** Values with a message of their own, refused even where the pattern would allow them. */
  refuse?: ReadonlyMap<string, string>
}

export interface NumberShape extends Described {
  kind: 'number'
  integer: boolean
  min?: number
  max?: number
  except?: readonly number[]
}

export interface BooleanShape extends Described {
  kind: 'boolean'
}

export interface ListShape extends Described {
  kind: 'list'
  items: Shape
  minItems?: number
  /** Validator only: no two items share the value of this key. */
  unique?: string
}

export interface MapShape extends Described {
  kind: 'map'
  keys?: TextShape
  values: Shape
  minEntries?: number
  maxEntries?: number
  /** What a list given in its place most likely is. */
  listHint?: string
  check?: Check
}

export type KeyMessage = string | ((context: CheckContext) => string)
export type Check = (value: PlainMap, context: CheckContext) => void

export interface RecordShape extends Described {
  kind: 'record'
  fields: ReadonlyMap<string, Shape>
  required: readonly string[]
  /** Whether keys without a field are accepted. */
  open: boolean
  /** Validator only: keys without a field are accepted with a warning, near miss or not. */
  warnUnknown?: boolean
  /** Shape of the keys without a field; anything when left out. */
  others?: Shape
  /** Keys that are refused with a message of their own. */
  forbidden: ReadonlyMap<string, KeyMessage>
  rules: readonly Rule[]
  check?: Check
}

/** Alternatives of different types: a value is held against the one whose type it has. */
export interface ChoiceShape extends Described {
  kind: 'choice'
  of: readonly Shape[]
  /** Completes "must be …". */
  says: string
}

export type Rule = SomeRule | OneRule | NoneRule | ExpectRule | WhenRule

/** At least one of the keys is present; reported on the first. */
export interface SomeRule {
  rule: 'some'
  of: readonly string[]
  says: string
}

/** Exactly one of the keys is present; reported on the record. */
export interface OneRule {
  rule: 'one'
  of: readonly string[]
  says: string
}

/** None of the keys is present; each is reported, or `together` as one issue on the record. */
export interface NoneRule {
  rule: 'none'
  of: readonly string[]
  says: string
  together?: boolean
}

/** A value reached through maps, where it is present, equals the given one. */
export interface ExpectRule {
  rule: 'expect'
  at: readonly string[]
  equals: string | boolean
  says: string
}

/** The inner rules hold when every named key has one of the given values. */
export interface WhenRule {
  rule: 'when'
  is: Readonly<Record<string, readonly string[]>>
  rules: readonly Rule[]
}

type Extra<S extends Shape, Set extends keyof S> = Omit<S, 'kind' | Set>

export const anything = (extra: Extra<AnyShape, never> = {}): AnyShape => ({ kind: 'any', ...extra })
export const text = (extra: Extra<TextShape, never> = {}): TextShape => ({ kind: 'text', ...extra })
export const filled = (extra: Extra<TextShape, 'minChars'> = {}): TextShape => ({ kind: 'text', minChars: 1, ...extra })
export const oneOf = (words: readonly string[], extra: Extra<TextShape, 'words'> = {}): TextShape => ({
  kind: 'text',
  words,
  ...extra,
})
export const matching = (
  source: string,
  says: string,
  extra: Extra<TextShape, 'pattern'> & Pick<Pattern, 'nearest'> = {},
): TextShape => {
  const { nearest, ...rest } = extra
  const regexp = new RegExp(source, 'u')
  return { kind: 'text', pattern: { source, regexp, says, ...(nearest === undefined ? {} : { nearest }) }, ...rest }
}
export const flag = (extra: Extra<BooleanShape, never> = {}): BooleanShape => ({ kind: 'boolean', ...extra })
export const integer = (extra: Extra<NumberShape, 'integer'> = {}): NumberShape => ({
  kind: 'number',
  integer: true,
  ...extra,
})
export const decimal = (extra: Extra<NumberShape, 'integer'> = {}): NumberShape => ({
  kind: 'number',
  integer: false,
  ...extra,
})
export const list = (items: Shape, extra: Extra<ListShape, 'items'> = {}): ListShape => ({
  kind: 'list',
  items,
  ...extra,
})
export const map = (values: Shape, extra: Extra<MapShape, 'values'> = {}): MapShape => ({
  kind: 'map',
  values,
  ...extra,
})
export const choice = (
  says: string,
  of: readonly Shape[],
  extra: Extra<ChoiceShape, 'of' | 'says'> = {},
): ChoiceShape => ({
  kind: 'choice',
  says,
  of,
  ...extra,
})

interface RecordInput extends Described {
  required?: readonly string[]
  open?: boolean
  warnUnknown?: boolean
  others?: Shape
  forbidden?: Readonly<Record<string, KeyMessage>>
  rules?: readonly Rule[]
  check?: Check
}

export function record(fields: Readonly<Record<string, Shape>>, input: RecordInput = {}): RecordShape {
  const { required = [], open = true, forbidden = {}, rules = [], ...rest } = input
  return {
    kind: 'record',
    fields: new Map(Object.entries(fields)),
    required,
    open,
    forbidden: new Map(Object.entries(forbidden)),
    rules,
    ...rest,
  }
}
