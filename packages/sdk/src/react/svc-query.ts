'use client'
import {
  type QueryKey,
  skipToken,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { buildClient } from '../client/create-svc.ts'
import type { SvcClient } from '../client/svc-client.ts'
import { platformConfig } from '../config/platform-config.ts'

/** How long data counts as fresh. */
const FRESH_MS = { live: Number.POSITIVE_INFINITY, config: 60_000, inventory: 30_000, volatile: 5_000 }
const KEEP_MS = 30 * 60_000

/** Every key of this library starts with this word. */
export const svcKey = (...parts: unknown[]): QueryKey => ['svc', ...parts]

let client: SvcClient | undefined

/** The client that hooks call: the config in effect at the moment of each call. */
export function hookClient(): SvcClient {
  client ??= buildClient(platformConfig(), platformConfig, (call) => call())
  return client
}

/** A query of the service; null instead of a read keeps it disabled. */
export function useSvcQuery<T>(
  key: QueryKey,
  tier: keyof typeof FRESH_MS,
  read: (() => Promise<T>) | null,
): UseQueryResult<T, Error> {
  return useQuery({ queryKey: key, queryFn: read ?? skipToken, ...timesOf(tier) })
}

/** How long an answer counts as fresh, and how long it is kept once nothing shows it. */
export const timesOf = (tier: keyof typeof FRESH_MS) => ({
  staleTime: FRESH_MS[tier],
  gcTime: KEEP_MS,
  refetchOnMount: true,
})

/** A change of the service; what its keys name is read again once it succeeded. */
export function useSvcMutation<Input, T>(
  change: (input: Input) => Promise<T>,
  ...stale: QueryKey[]
): UseMutationResult<T, Error, Input> {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: () => Promise.all(stale.map((queryKey) => queries.invalidateQueries({ queryKey }))),
  })
}

/** An id that is there, or a rejection for a change that was asked for without one. */
export async function requireId<T>(id: string | null | undefined, use: (id: string) => Promise<T>): Promise<T> {
  if (!id) throw new Error('This change needs an id, and the hook was given none.')
  return use(id)
}

/** What every hook accepts for an id that is not known yet. */
export type MaybeId = string | null | undefined
