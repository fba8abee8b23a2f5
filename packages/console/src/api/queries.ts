// Reads of the console API as React queries. A query's error is an `ApiError`.

import { keepPreviousData, QueryCache, QueryClient, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { type ApiError, read } from './client.ts'
import type { Params, ReadPath, Reads } from './endpoints.ts'

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: ApiError
  }
}

const MOST_RETRIES = 2

export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      // The session has ended: reading it again leads to the sign-in page.
      onError: (error, { queryKey }) => {
        if (error.status === 401 && queryKey[0] !== 'session') void client.invalidateQueries({ queryKey: ['session'] })
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // Errors of the client do not go away by themselves.
        retry: (count, { status }) => (status === 0 || status >= 500) && count < MOST_RETRIES,
        retryDelay: (attempt) => 300 * 2 ** attempt,
      },
    },
  })
  return client
}

const queryOf = <P extends ReadPath>(path: P, params: Params) => ({
  queryKey: [path, params],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Reads[P]> => {
    const result = await read(path, params, signal)
    if (!result.ok) throw result.error
    return result.value
  },
})

/** Begins to read what a page will read. */
export const prefetch = (client: QueryClient, path: ReadPath): Promise<void> => client.prefetchQuery(queryOf(path, {}))

export type ReadOptions = {
  /** Reads again after so many milliseconds, while the page is visible. */
  every?: number
  enabled?: boolean
  /** Keeps showing the former answer while parameters change, so that tables do not jump. */
  keepPrevious?: boolean
  staleTime?: number
}

/** `useRead('keys', { state: 'active' })`. Invalidate by path: `queryClient.invalidateQueries({ queryKey: ['keys'] })`. */
export function useRead<P extends ReadPath>(
  path: P,
  params: Params = {},
  { every, enabled = true, keepPrevious = false, staleTime }: ReadOptions = {},
): UseQueryResult<Reads[P], ApiError> {
  return useQuery<Reads[P], ApiError>({
    ...queryOf(path, params),
    enabled,
    refetchInterval: every ?? false,
    ...(keepPrevious ? { placeholderData: keepPreviousData as never } : {}),
    ...(staleTime === undefined ? {} : { staleTime }),
  })
}

/** What the gateway says of itself to everyone: its name, its rules for passwords. */
export const useAbout = () => useRead('about', {}, { staleTime: 60_000 })
