export { REDACTED, redactLabel, redactValue, type Stored } from './redact.ts'
export { auditEvents } from './schema.ts'
export { type AuditEventInput, type StorableRow, toRow, writeEvent, writeRows } from './write-event.ts'
