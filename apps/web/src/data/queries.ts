import { isApiError } from '@svc/sdk'
import { QueryClient } from '@tanstack/react-query'

/** What the server refused it refuses again: only faults on the way are tried twice. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (count, error) => count < 2 && !(isApiError(error) && (error.status ?? 500) < 500),
      refetchOnWindowFocus: true,
    },
  },
})
