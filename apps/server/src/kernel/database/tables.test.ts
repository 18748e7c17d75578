import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { getTableColumns, is } from 'drizzle-orm'
import { getTableConfig, PgTable } from 'drizzle-orm/pg-core'
import { afterAll, describe, expect, test } from 'vitest'
import { createTestDatabase } from './testing.ts'

const catalogNames: Record<string, string> = {
  serial: 'integer',
  bigserial: 'bigint',
  smallserial: 'smallint',
  varchar: 'character varying',
  char: 'character',
  timestamp: 'timestamp without time zone',
  time: 'time without time zone',
}

/** Every schema.ts of the server. A table declared anywhere else is not found, so it belongs in one of these. */
const sources = fileURLToPath(new URL('../..', import.meta.url))
const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(
  (file) => basename(file) === 'schema.ts',
)
const modules = await Promise.all(files.map((file): Promise<Record<string, unknown>> => import(join(sources, file))))
const tables = modules.flatMap((module) =>
  Object.values(module).flatMap((value) => (is(value, PgTable) ? [value] : [])),
)

const database = await createTestDatabase()
afterAll(() => database.close())

describe('the tables the code declares are those the migrations make', () => {
  test('there are some', () => expect(tables.length).toBeGreaterThan(0))

  test.each(tables.map((table) => ({ table, name: getTableConfig(table).name })))(
    '$name: column names, types and nullability',
    async ({ table, name }) => {
      const { schema } = getTableConfig(table)
      expect(schema).toBe('svc')
      const declared = Object.values(getTableColumns(table)).map((column) => ({
        name: column.name,
        type: spellType(column.getSQLType()),
        nullable: !column.notNull,
      }))
      const real = await database.sql<{ name: string; type: string; nullable: boolean }[]>`
        select attname as name, format_type(atttypid, atttypmod) as type, not attnotnull as nullable
        from pg_attribute where attrelid = to_regclass(${`svc.${name}`}) and attnum > 0 and not attisdropped`
      expect(sortByName(declared)).toEqual(sortByName([...real].map(({ ...row }) => row)))
    },
  )
})

/** Drizzle and the catalog name some types differently. */
function spellType(type: string): string {
  const array = type.endsWith('[]') ? '[]' : ''
  const precision = (/\([^)]*\)/.exec(type)?.[0] ?? '').replaceAll(' ', '')
  const base = type.replace('[]', '').replace(/\s*\([^)]*\)/, '')
  const name = catalogNames[base] ?? base
  const [first = '', ...zone] = name.split(/ (?=with)/)
  return [`${first}${precision}`, ...zone].join(' ') + array
}

function sortByName<Row extends { name: string }>(rows: readonly Row[]): Row[] {
  return [...rows].sort((a, b) => (a.name < b.name ? -1 : 1))
}
