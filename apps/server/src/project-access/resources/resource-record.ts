import type { ResourceGrantRow } from '../store/grants.ts'
import type { Resources } from './read-resources.ts'

export type ResourceType = ResourceGrantRow['objectType']

/** Secrets are looked up where they are kept; `secrets` holds the identifiers that exist. */
export function isKnown(resources: Resources, type: ResourceType, id: string, secrets: ReadonlySet<string>): boolean {
  if (type === 'secret') return secrets.has(id)
  if (type === 'app') return resources.apps.has(id)
  if (type === 'trigger') return resources.triggers.has(id)
  const declared = type === 'agent' ? resources.agents : resources.skills
  return declared.some((one) => one.id === id)
}

export function toResourceGrant(row: ResourceGrantRow, resources: Resources | undefined, secrets: ReadonlySet<string>) {
  const principalType: 'member' | 'group' = row.principalType === 'group' ? 'group' : 'member'
  return {
    grant_id: row.assignmentId,
    resource_type: row.objectType,
    resource_id: row.objectId,
    principal_type: principalType,
    principal_id: row.principalId,
    principal_label: row.label,
    granted_by: row.grantedBy,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt?.toISOString() ?? null,
    orphaned: resources === undefined || !isKnown(resources, row.objectType, row.objectId, secrets),
  }
}
