import { RoutingPolicy } from '@svc/contract'
import type { z } from 'zod'

export type StoredRouting = z.output<typeof RoutingPolicy>

const empty: StoredRouting = {
  defaultModel: null,
  visionModel: null,
  defaultFallback: null,
  rules: [],
  modelGenerationConfig: {},
}

/** What is stored, or nothing at all; a document that no longer fits counts as none. */
export function readRouting(stored: unknown): StoredRouting {
  const parsed = RoutingPolicy.safeParse(stored ?? {})
  return parsed.success ? parsed.data : empty
}
