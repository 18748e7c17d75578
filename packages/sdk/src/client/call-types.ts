import type { OperationId, Operations } from '../generated/operations.ts'

/** What an operation answers. */
export type Result<Id extends OperationId> = Promise<Operations[Id]['result']>
/** The body an operation takes. */
export type Body<Id extends OperationId> = Operations[Id] extends { body: infer Input } ? Input : never
/** The query an operation takes. */
export type Query<Id extends OperationId> = Operations[Id] extends { query: infer Input } ? Input : never
