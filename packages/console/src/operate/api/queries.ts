// Reads of the admin API as React queries. All of them begin with `admin`, so that a change can have all of them read again.
import type { QueryClient, UseQueryResult } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { ApiError, UrlParams } from '../../api/client.ts'
import { type ReadOptions, useQueryOf } from '../../api/queries.ts'
import { adminUrl, readAdmin, readVersion, type Version } from './client.ts'
import type { Output, Params, Path } from './routes.ts'

/** What is watched is read again so often, while its tab is visible. */
export const LIVE = 5_000

export type ReadArguments<P extends Path<'GET'>> =
  Record<never, never> extends Params<'GET', P>
    ? [params?: Params<'GET', P>, options?: ReadOptions]
    : [params: Params<'GET', P>, options?: ReadOptions]

/** `useAdmin('accounts/{account}', { account })`. */
export function useAdmin<P extends Path<'GET'>>(
  path: P,
  ...[params, options = {}]: ReadArguments<P>
): UseQueryResult<Output<'GET', P>, ApiError> {
  const given = params ?? ({} as Params<'GET', P>)
  return useQueryOf(['admin', path, given], (signal) => readAdmin(path, given, signal), options)
}

/** After a change: whatever is on screen may show it. */
export const refreshAdmin = (client: QueryClient): Promise<void> => client.invalidateQueries({ queryKey: ['admin'] })

/**
 * The version of a resource when a form began to show it: what others change meanwhile is noticed when it is saved. A promise, since
 * a person may save before it has been read.
 */
export function useVersion(path: Path<'GET'> | undefined, params: UrlParams = {}): () => Promise<Version | undefined> {
  const reading = useRef<Promise<Version | undefined>>(Promise.resolve(undefined))
  const url = path === undefined ? undefined : adminUrl(path, params)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the URL is made of the path and its parameters.
  useEffect(() => {
    reading.current = path === undefined ? Promise.resolve(undefined) : readVersion(path, params)
  }, [url])
  return () => reading.current
}
