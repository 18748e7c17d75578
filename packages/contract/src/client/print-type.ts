import type { JsonSchema } from '../openapi/json-schema.ts'

/** Prints a JSON Schema as a flat TypeScript type: no generics, nothing to infer, cheap for a user's compiler. */
export function printType(schema: JsonSchema, indent = ''): string {
  if (typeof schema.$ref === 'string') return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)
  if ('const' in schema) return JSON.stringify(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const union = schema.anyOf ?? schema.oneOf
  if (Array.isArray(union)) return printUnion(union as JsonSchema[], indent)
  if (Array.isArray(schema.allOf))
    return (schema.allOf as JsonSchema[]).map((part) => printType(part, indent)).join(' & ')
  if (Array.isArray(schema.type))
    return printUnion(schema.type.map((type) => ({ ...schema, type })) as JsonSchema[], indent)
  return printPlain(schema, indent)
}

function printUnion(members: readonly JsonSchema[], indent: string): string {
  return [...new Set(members.map((member) => printType(member, indent)))].join(' | ')
}

function printPlain(schema: JsonSchema, indent: string): string {
  if (schema.type === 'string') return 'string'
  if (schema.type === 'number' || schema.type === 'integer') return 'number'
  if (schema.type === 'boolean') return 'boolean'
  if (schema.type === 'null') return 'null'
  if (schema.type === 'array') return printArray(schema, indent)
  if (schema.type === 'object') return printObject(schema, indent)
  return 'unknown'
}

function printArray(schema: JsonSchema, indent: string): string {
  const item = schema.items ? printType(schema.items as JsonSchema, indent) : 'unknown'
  return /[|&]/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`
}

function printObject(schema: JsonSchema, indent: string): string {
  const properties = Object.entries((schema.properties as Record<string, JsonSchema>) ?? {})
  const required = new Set((schema.required as string[]) ?? [])
  const open = schema.additionalProperties
  const rest = typeof open === 'object' && open !== null ? printType(open as JsonSchema, `${indent}  `) : 'unknown'
  if (properties.length === 0) return open === false ? 'Record<string, never>' : `Record<string, ${rest}>`
  const lines = properties.map(([name, property]) => {
    const mark = required.has(name) ? '' : '?'
    // With exactOptionalPropertyTypes a caller must be free to pass undefined for what may be absent.
    const absent = required.has(name) ? '' : ' | undefined'
    return `${indent}  ${printName(name)}${mark}: ${printType(property, `${indent}  `)}${absent}`
  })
  const openEnded = typeof open === 'object' && open !== null ? [`${indent}  [key: string]: unknown`] : []
  return `{\n${[...lines, ...openEnded].join('\n')}\n${indent}}`
}

const printName = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))
