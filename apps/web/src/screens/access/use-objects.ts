import { useProjectConfig, useProjectSecrets } from '@svc/sdk/react'

export interface AccessObject {
  readonly type: 'agent' | 'skill' | 'secret'
  readonly id: string
  readonly label: string
}

/** The single things of a project that somebody can be named on. */
export function useObjects(projectId: string): readonly AccessObject[] {
  const config = useProjectConfig(projectId).data
  const secrets = useProjectSecrets(projectId).data
  return [
    ...(config?.agents ?? []).map(({ name }) => ({ type: 'agent' as const, id: name, label: name })),
    ...(config?.skills ?? []).map(({ name }) => ({ type: 'skill' as const, id: name, label: name })),
    ...(secrets?.items ?? []).map(({ identifier, name }) => ({ type: 'secret' as const, id: identifier, label: name })),
  ]
}

/** A word for a choice of one object, and back. */
export const keyOf = ({ type, id }: Pick<AccessObject, 'type' | 'id'>): string => `${type}:${id}`
export const findObject = (objects: readonly AccessObject[], key: string): AccessObject | undefined =>
  objects.find((one) => keyOf(one) === key)
