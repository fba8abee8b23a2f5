// Reads of the admin API as React queries. All of them begin with `admin`, so that a change can have all of them read again.
import { keepPreviousData, type QueryClient, type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ApiError } from '../../api/client.ts'
import { readAdmin } from './client.ts'
import type { Output, Params, Path } from './routes.ts'

/** What is watched is read again so often, while its tab is visible. */
export const LIVE = 5_000

export type AdminReadOptions = {
  /** Milliseconds, such as LIVE. */
  every?: number
  enabled?: boolean
  /** Keeps showing the former answer while parameters change, so that tables do not jump. */
  keepPrevious?: boolean
  staleTime?: number
}

export type ReadArguments<P extends Path<'GET'>> =
  Record<never, never> extends Params<'GET', P>
    ? [params?: Params<'GET', P>, options?: AdminReadOptions]
    : [params: Params<'GET', P>, options?: AdminReadOptions]

/** `useAdmin('accounts/{account}', { account })`. */
export function useAdmin<P extends Path<'GET'>>(
  path: P,
  ...[params, options = {}]: ReadArguments<P>
): UseQueryResult<Output<'GET', P>, ApiError> {
  const { every, enabled = true, keepPrevious = false, staleTime } = options
  return useQuery<Output<'GET', P>, ApiError>({
    queryKey: ['admin', path, params ?? {}],
    queryFn: async ({ signal }) => {
      const result = await readAdmin(path, params ?? ({} as Params<'GET', P>), signal)
      if (!result.ok) throw result.error
      return result.value
    },
    enabled,
    refetchInterval: every ?? false,
    ...(keepPrevious ? { placeholderData: keepPreviousData as never } : {}),
    ...(staleTime === undefined ? {} : { staleTime }),
  })
}

/** After a change: whatever is on screen may show it. */
export const refreshAdmin = (client: QueryClient): Promise<void> => client.invalidateQueries({ queryKey: ['admin'] })
