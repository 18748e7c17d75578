export { defineId, type Id, type IdKind, type IdOf, isUuid } from './define-id.ts'
export { newId, readIdTime } from './new-id.ts'
