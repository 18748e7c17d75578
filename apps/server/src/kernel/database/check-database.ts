import type { HealthCheck } from '../capability.ts'
import type { Database } from './open-database.ts'

export function databaseCheck(database: Database): HealthCheck {
  return {
    name: 'database',
    required: true,
    read: async () => {
      const state = database.state()
      try {
        await database.sql`select 1`
        return { status: 'ok', detail: state === 'external' ? 'external PostgreSQL' : 'embedded PostgreSQL' }
      } catch {
        // What failed is in the log of the part that failed; health only tells that it did.
        return {
          status: 'down',
          detail: `PostgreSQL does not answer (${state}).`,
          next: 'See the log, or run: npm run doctor',
        }
      }
    },
  }
}
