import { useOperatorHealth } from '@svc/sdk/react'

/** Whether the server lets this person see the instance itself; until it said so, no. */
export function useIsOperator(): boolean {
  return useOperatorHealth().data !== undefined
}
