export { auditEvents } from './schema.ts'
export { type AuditEventInput, writeEvent } from './write-event.ts'
