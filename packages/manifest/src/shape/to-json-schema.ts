import type { RecordShape, Rule, Shape, TextShape } from './shape.ts'

export type JsonSchema = { [key: string]: unknown }

/** Compiles shapes to JSON Schema 2020-12. Named shapes become entries of `defs`, referred to by `$ref`. */
export function toJsonSchema(shape: Shape, defs: Map<string, JsonSchema>): JsonSchema {
  if (shape.name === undefined) return compile(shape, defs)
  if (!defs.has(shape.name)) {
    defs.set(shape.name, {})
    defs.set(shape.name, compile(shape, defs))
  }
  return { $ref: `#/$defs/${shape.name}` }
}

function compile(shape: Shape, defs: Map<string, JsonSchema>): JsonSchema {
  const about = shape.about === undefined ? {} : { description: shape.about }
  switch (shape.kind) {
    case 'any':
      return { ...about }
    case 'text':
      return { ...about, ...compileText(shape) }
    case 'number':
      return {
        ...about,
        type: shape.integer ? 'integer' : 'number',
        ...defined({ minimum: shape.min, maximum: shape.max }),
        ...(shape.except === undefined ? {} : { not: { enum: [...shape.except] } }),
      }
    case 'boolean':
      return { ...about, type: 'boolean' }
    case 'list':
      return {
        ...about,
        type: 'array',
        ...defined({ minItems: shape.minItems }),
        items: toJsonSchema(shape.items, defs),
      }
    case 'map':
      return {
        ...about,
        type: 'object',
        ...defined({ minProperties: shape.minEntries, maxProperties: shape.maxEntries }),
        ...(shape.keys === undefined ? {} : { propertyNames: compileText(shape.keys) }),
        additionalProperties: toJsonSchema(shape.values, defs),
      }
    case 'choice':
      return { ...about, anyOf: shape.of.map((option) => toJsonSchema(option, defs)) }
    case 'record':
      return { ...about, ...compileRecord(shape, defs) }
  }
}

function compileText(shape: TextShape): JsonSchema {
  return {
    type: 'string',
    ...defined({ minLength: shape.minChars, maxLength: shape.maxChars, pattern: shape.pattern?.source }),
    ...(shape.words === undefined ? {} : { enum: [...shape.words] }),
    ...(shape.refuse === undefined || shape.words !== undefined ? {} : { not: { enum: [...shape.refuse.keys()] } }),
  }
}

function compileRecord(shape: RecordShape, defs: Map<string, JsonSchema>): JsonSchema {
  const properties: JsonSchema = {}
  for (const [key, field] of shape.fields) properties[key] = toJsonSchema(field, defs)
  if (shape.open) {
    for (const [key, message] of shape.forbidden) properties[key] = refused(typeof message === 'string' ? message : '')
  }
  return {
    type: 'object',
    ...(shape.required.length === 0 ? {} : { required: [...shape.required] }),
    properties,
    ...(shape.open ? {} : { additionalProperties: false }),
    ...(shape.others === undefined ? {} : { additionalProperties: toJsonSchema(shape.others, defs) }),
    ...(shape.rules.length === 0 ? {} : { allOf: shape.rules.map(compileRule) }),
  }
}

function compileRule(rule: Rule): JsonSchema {
  switch (rule.rule) {
    case 'some':
      return rule.of.length === 1 ? { required: [...rule.of] } : { anyOf: rule.of.map((key) => ({ required: [key] })) }
    case 'one':
      return { oneOf: rule.of.map((key) => ({ required: [key] })) }
    case 'none':
      return { properties: Object.fromEntries(rule.of.map((key) => [key, refused(rule.says)])) }
    case 'expect':
      return rule.at.reduceRight<JsonSchema>((inner, key) => ({ properties: { [key]: inner } }), { const: rule.equals })
    case 'when':
      // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema.
      return { if: compileCondition(rule.is), then: mergeRules(rule.rules) }
  }
}

function compileCondition(is: Readonly<Record<string, readonly string[]>>): JsonSchema {
  const properties = Object.fromEntries(Object.entries(is).map(([key, values]) => [key, { enum: [...values] }]))
  return { properties, required: Object.keys(is) }
}

function mergeRules(rules: readonly Rule[]): JsonSchema {
  const [only, ...others] = rules.map(compileRule)
  return only !== undefined && others.length === 0 ? only : { allOf: rules.map(compileRule) }
}

function refused(message: string): JsonSchema {
  return message === '' ? { not: {} } : { description: `Not allowed here: ${message}`, not: {} }
}

function defined(values: Readonly<Record<string, unknown>>): JsonSchema {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}
