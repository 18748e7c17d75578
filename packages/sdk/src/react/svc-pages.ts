'use client'
import { type InfiniteData, type QueryKey, skipToken, useInfiniteQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { buildClient } from '../client/create-svc.ts'
import type { SvcClient } from '../client/svc-client.ts'
import { platformConfig } from '../config/platform-config.ts'
import { fetchWith } from '../http/send-request.ts'
import { timesOf } from './svc-query.ts'

/** One page of a list, and where the next one begins. */
interface Page<T> {
  readonly answer: T
  readonly next: string | undefined
}

type ReadPage<T> = (client: SvcClient, cursor: string | undefined) => Promise<T>

/**
 * A list that the service hands out in pages, as one: `fetchNextPage` adds what comes after it while `hasNextPage`.
 * Null instead of a read keeps it disabled.
 */
export function useSvcPages<T>(
  key: QueryKey,
  tier: Parameters<typeof timesOf>[0],
  read: ReadPage<T> | null,
  join: (pages: readonly T[]) => T,
) {
  const select = useCallback(
    ({ pages }: InfiniteData<Page<T>, string | undefined>) => join(pages.map(({ answer }) => answer)),
    [join],
  )
  return useInfiniteQuery({
    queryKey: key,
    queryFn: read ? ({ pageParam }) => readPage(read, pageParam) : skipToken,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: Page<T>) => next,
    select,
    ...timesOf(tier),
  })
}

/** The place of the next page stands in a header, which the typed calls do not show. */
async function readPage<T>(read: ReadPage<T>, cursor: string | undefined): Promise<Page<T>> {
  const config = platformConfig()
  let next: string | null = null
  const watching = {
    ...config,
    fetch: async (url: string | URL | Request, init: RequestInit = {}) => {
      const reply = await fetchWith(config, url, init)
      next = reply.headers.get('x-next-cursor')
      return reply
    },
  }
  const client = buildClient(
    watching,
    () => watching,
    (call) => call(),
  )
  const answer = await read(client, cursor)
  return { answer, next: next ?? undefined }
}
