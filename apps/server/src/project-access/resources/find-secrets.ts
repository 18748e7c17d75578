import type { Parts } from '../parts.ts'
import type { ResourceGrantRow } from '../store/grants.ts'

/** Which of the secrets that are named still exist. */
export async function findSecrets(
  { secrets }: Parts,
  projectId: string,
  rows: readonly Pick<ResourceGrantRow, 'objectType' | 'objectId'>[],
): Promise<ReadonlySet<string>> {
  const named = new Set(rows.flatMap(({ objectType, objectId }) => (objectType === 'secret' ? [objectId] : [])))
  const found: string[] = []
  for (const identifier of named) if (await secrets.exists(projectId, identifier)) found.push(identifier)
  return new Set(found)
}
