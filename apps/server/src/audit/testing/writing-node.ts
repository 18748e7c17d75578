import { sql } from 'drizzle-orm'
import { connectDatabase, parseConnectionString } from '../../kernel/database/index.ts'
import { createSealer } from '../seal/sealer.ts'

/** One server's worth of writers and a sealer in a process of its own, working until it is killed. */
const { url = '', accountId = '' } = process.env
const database = connectDatabase(parseConnectionString(url), { maxConnections: 6 })
const sealer = createSealer(database)

async function write(): Promise<never> {
  for (;;) {
    const id = await database.transact({ type: 'system', accountId }, async (tx) => {
      const { rows } = await tx.db.execute<{ id: string }>(sql`insert into public.things default values returning id`)
      const resourceId = rows[0]?.id ?? ''
      await tx.audit({ action: 'thing.create', resourceType: 'thing', resourceId })
      return resourceId
    })
    process.send?.({ acknowledged: id })
  }
}

async function seal(): Promise<never> {
  for (;;) await sealer.sealWaiting()
}

await Promise.all([write(), write(), seal()])
