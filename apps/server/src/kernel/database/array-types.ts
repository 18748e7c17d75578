import pg from 'pg'
import type { PostgresType } from 'postgres'

/** The numbers PostgreSQL has given its own array types, the same in every database. */
const arrayTypes: Readonly<Record<string, number>> = {
  boolArray: 1000,
  int2Array: 1005,
  int4Array: 1007,
  textArray: 1009,
  varcharArray: 1015,
  int8Array: 1016,
  float8Array: 1022,
  timestampArray: 1115,
  timestamptzArray: 1185,
  uuidArray: 2951,
  jsonbArray: 3807,
}

/**
 * The raw client's array types. The driver could ask the database for them at every new connection, but when that very
 * question is cut off it fails where nobody can catch it.
 */
export const arrayTypeOptions: Record<string, PostgresType> = Object.fromEntries(
  Object.entries(arrayTypes).map(([name, oid]) => [
    name,
    { to: oid, from: [oid], serialize: writeArray, parse: pg.types.getTypeParser(oid, 'text') },
  ]),
)

/** PostgreSQL's own spelling of an array. */
export function writeArray(values: unknown): string {
  if (!Array.isArray(values)) return String(values)
  return `{${values.map(writeElement).join(',')}}`
}

function writeElement(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (Array.isArray(value)) return writeArray(value)
  if (value instanceof Date) return quote(value.toISOString())
  return quote(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
}
