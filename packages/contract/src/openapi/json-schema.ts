import { z } from 'zod'

export type JsonSchema = { [key: string]: unknown }

const refOf = (name: string) => `#/components/schemas/${name}`

/** One shape as JSON Schema; shapes with an `id` in their metadata become references. */
export function toJsonSchema(shape: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const name = nameOf(shape)
  if (name) return { $ref: refOf(name) }
  return convert(shape, io).root
}

/** Every named shape reachable from the given ones, by name. */
export function collectNamedSchemas(shapes: readonly z.ZodType[]): Record<string, JsonSchema> {
  const found: Record<string, JsonSchema> = {}
  for (const shape of shapes) {
    const name = nameOf(shape)
    const { root, definitions } = convert(shape, 'output')
    Object.assign(found, definitions)
    if (name && !definitions[name]) found[name] = root
  }
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => a.localeCompare(b)))
}

function nameOf(shape: z.ZodType): string | undefined {
  return z.globalRegistry.get(shape)?.id
}

function convert(shape: z.ZodType, io: 'input' | 'output') {
  const {
    $schema: _dialect,
    $defs,
    id: _id,
    ...root
  } = z.toJSONSchema(shape, { io, unrepresentable: 'any' }) as JsonSchema
  const definitions: Record<string, JsonSchema> = {}
  for (const [name, definition] of Object.entries(($defs as Record<string, JsonSchema>) ?? {})) {
    const { id: _inner, ...rest } = definition
    definitions[name] = rewriteRefs(rest) as JsonSchema
  }
  return { root: rewriteRefs(root) as JsonSchema, definitions }
}

function rewriteRefs(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(rewriteRefs)
  if (typeof node !== 'object' || node === null) return node
  const entries = Object.entries(node).map(([key, value]) => {
    if (key === '$ref' && typeof value === 'string') return [key, value.replace('#/$defs/', '#/components/schemas/')]
    return [key, rewriteRefs(value)]
  })
  return Object.fromEntries(entries)
}
