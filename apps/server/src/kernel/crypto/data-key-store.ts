import type { Sql } from 'postgres'

export interface DataKeyRow {
  id: string
  scope: string
  masterKeyId: string
  wrapped: Buffer
}

/** The only place with SQL on `svc.envelope_keys`. */
export function dataKeyStore(sql: Sql) {
  return {
    async hasAny(): Promise<boolean> {
      const rows = await sql`select from svc.envelope_keys limit 1`
      return rows.length > 0
    },

    async findActive(scope: string): Promise<DataKeyRow | undefined> {
      const [row] = await sql<DataKeyRow[]>`
        select id, scope, master_key_id as "masterKeyId", wrapped from svc.envelope_keys
        where scope = ${scope} and retired_at is null`
      return row
    },

    async find(id: string): Promise<DataKeyRow | undefined> {
      const [row] = await sql<DataKeyRow[]>`
        select id, scope, master_key_id as "masterKeyId", wrapped from svc.envelope_keys where id = ${id}`
      return row
    },

    /** The scope's active key: this one, or the one another node stored first. */
    async addActive(row: DataKeyRow): Promise<DataKeyRow> {
      await sql`
        insert into svc.envelope_keys (id, scope, master_key_id, wrapped)
        values (${row.id}, ${row.scope}, ${row.masterKeyId}, ${row.wrapped})
        on conflict (scope) where retired_at is null do nothing`
      return (await this.findActive(row.scope)) ?? row
    },

    /** Of two rotations at once the second finds the first's key and leaves it: the scope was rotated. */
    async replaceActive(row: DataKeyRow): Promise<void> {
      await sql`
        with retired as (
          update svc.envelope_keys set retired_at = now() where scope = ${row.scope} and retired_at is null returning id
        )
        insert into svc.envelope_keys (id, scope, master_key_id, wrapped)
        select ${row.id}::uuid, ${row.scope}, ${row.masterKeyId}, ${row.wrapped}::bytea
        from (select count(*) from retired) as after_retiring
        on conflict (scope) where retired_at is null do nothing`
    },

    async listWrappedByOthers(masterKeyId: string, limit: number): Promise<DataKeyRow[]> {
      return sql<DataKeyRow[]>`
        select id, scope, master_key_id as "masterKeyId", wrapped from svc.envelope_keys
        where master_key_id <> ${masterKeyId} order by id limit ${limit}`
    },

    /** Changes nothing when another node re-wrapped the row first. */
    async rewrap(row: DataKeyRow, masterKeyId: string, wrapped: Buffer): Promise<boolean> {
      const result = await sql`
        update svc.envelope_keys set master_key_id = ${masterKeyId}, wrapped = ${wrapped}
        where id = ${row.id} and master_key_id = ${row.masterKeyId}`
      return result.count === 1
    },
  }
}

export type DataKeyStore = ReturnType<typeof dataKeyStore>
