import { pgSchema } from 'drizzle-orm/pg-core'

/** Every table of the platform lives in this PostgreSQL schema. */
export const svc = pgSchema('svc')
