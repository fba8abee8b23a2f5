// Reads of both APIs as React queries. A query's error is an `ApiError`.

import { keepPreviousData, QueryClient, type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ApiError, onNotSignedIn, readOf } from './client.ts'
import type { Api, OutputOf, ParamsOf, PathOf } from './routes.ts'

declare module '@tanstack/react-query' {
  interface Register {
    defaultError: ApiError
  }
}

const MOST_RETRIES = 2

export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // Errors of the client do not go away by themselves.
        retry: (count, { status }) => (status === 0 || status >= 500) && count < MOST_RETRIES,
        retryDelay: (attempt) => 300 * 2 ** attempt,
      },
    },
  })
  // Reading the session again leads to the question to sign in. A read that is on its way may have begun before the end.
  onNotSignedIn(() => {
    if (client.getQueryState(['session', {}])?.status === 'success')
      void client.invalidateQueries({ queryKey: ['session'] })
  })
  return client
}

type ReadPath<A extends Api> = PathOf<A, 'GET'>
type Read<A extends Api, P extends ReadPath<A>> = OutputOf<A, 'GET', P>
/** A route without parameters in its path can be read by its name alone. */
export type ReadArguments<A extends Api, P extends ReadPath<A>> =
  Record<never, never> extends ParamsOf<A, 'GET', P>
    ? [params?: ParamsOf<A, 'GET', P>, options?: ReadOptions]
    : [params: ParamsOf<A, 'GET', P>, options?: ReadOptions]

/** Those of the admin API begin with `admin`, so that a change can have all of them read again. */
const queryOf = <A extends Api, P extends ReadPath<A>>(api: A, path: P, params: ParamsOf<A, 'GET', P>) => ({
  queryKey: [...(api === 'admin' ? [api] : []), path, params],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Read<A, P>> => {
    const result = await readOf(api, path, params, signal)
    if (!result.ok) throw result.error
    return result.value
  },
})

/** Begins to read what a page will read. */
export const prefetch = (client: QueryClient, path: 'session'): Promise<void> =>
  client.prefetchQuery(queryOf('console', path, {}))

export type ReadOptions = {
  /**
   * Reads again after so many milliseconds, while the page is visible. `live`: what the account's requests change; often while one of
   * them runs, else rarely.
   */
  every?: number | 'live'
  enabled?: boolean
  /** Keeps showing the former answer while parameters change, so that tables do not jump. */
  keepPrevious?: boolean
  staleTime?: number
}

/** `useRead('keys', { state: 'active' })`. Invalidate by path: `queryClient.invalidateQueries({ queryKey: ['keys'] })`. */
export const useRead = <P extends ReadPath<'console'>>(path: P, ...[params, options]: ReadArguments<'console', P>) =>
  useReadOf('console', path, params, options)

export function useReadOf<A extends Api, P extends ReadPath<A>>(
  api: A,
  path: P,
  params = {} as ParamsOf<A, 'GET', P>,
  { every, enabled = true, keepPrevious = false, staleTime }: ReadOptions = {},
): UseQueryResult<Read<A, P>, ApiError> {
  const client = useQueryClient()
  return useQuery<Read<A, P>, ApiError>({
    ...queryOf(api, path, params),
    enabled,
    refetchInterval: every === 'live' ? liveInterval(client) : (every ?? false),
    meta: { isLive: every === 'live' },
    ...(keepPrevious ? { placeholderData: keepPreviousData as never } : {}),
    ...(staleTime === undefined ? {} : { staleTime }),
  })
}

const RUNNING_MS = 3_000
const IDLE_MS = 15_000

/** Something is held for requests that run, or the answer itself has one that runs. */
const liveInterval = (client: QueryClient) => (query: { state: { data: unknown } }) => {
  const session = client.getQueryData<Read<'console', 'session'>>(['session', {}])
  const isHeld = session !== undefined && Number(session.held_usd) !== 0
  return isHeld || hasRunning(query.state.data) ? RUNNING_MS : IDLE_MS
}

function hasRunning(data: unknown): boolean {
  const { items, requests, open } = Object(data) as { items?: unknown; requests?: unknown; open?: unknown }
  if (Array.isArray(open) && open.length > 0) return true
  const rows = Array.isArray(items) ? items : Array.isArray(requests) ? requests : [data]
  return rows.some((row) => Reflect.get(Object(row), 'outcome') === 'running')
}

/** What the account's requests change is read again: one has begun or ended. */
export const refreshLive = (client: QueryClient): Promise<void> =>
  client.invalidateQueries({ predicate: ({ meta, queryKey }) => meta?.isLive === true && queryKey[0] !== 'session' })

/** What the gateway says of itself to everyone: its name, its rules for passwords. */
export const useAbout = () => useRead('about', {}, { staleTime: 60_000 })
