import type { Assignment } from '@svc/contract'
import { findSystemRole } from '@svc/contract'
import type { z } from 'zod'
import type { assignments } from '../schema.ts'

export type AssignmentRow = typeof assignments.$inferSelect
export type AssignmentRecord = z.input<typeof Assignment>

/** An assignment as the API shows it. `customKey` is the key of a custom role. */
export function toRecord(row: AssignmentRow, customKey?: string | null): AssignmentRecord {
  const system = findSystemRole(row.roleId)
  return {
    assignment_id: row.assignmentId,
    account_id: row.accountId,
    principal_type: row.principalType,
    principal_id: row.principalId,
    role_id: row.roleId,
    role_key: system?.key ?? customKey ?? row.roleId,
    role_is_system: system !== undefined,
    scope_type: row.scopeType,
    scope_id: row.scopeId,
    object_type: row.objectType,
    object_id: row.objectId,
    expires_at: row.expiresAt?.toISOString() ?? null,
    granted_by: row.grantedBy,
    source: row.source,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}

/** What the audit log keeps of an assignment. */
export function describeAssignment(row: AssignmentRow): Record<string, unknown> {
  return {
    principal_type: row.principalType,
    principal_id: row.principalId,
    role_id: row.roleId,
    scope_type: row.scopeType,
    scope_id: row.scopeId,
    object_type: row.objectType,
    object_id: row.objectId,
    expires_at: row.expiresAt?.toISOString() ?? null,
    assignment_source: row.source,
  }
}
