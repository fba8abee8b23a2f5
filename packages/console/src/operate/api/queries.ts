// Reads of the admin API as React queries.
import type { QueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { type UrlParams, urlOf } from '../../api/client.ts'
import { type ReadArguments as ArgumentsOf, useReadOf } from '../../api/queries.ts'
import { readVersion, type Version } from './client.ts'
import type { Path } from './routes.ts'

/** What is watched is read again so often, while its tab is visible. */
export const LIVE = 5_000

export type ReadArguments<P extends Path<'GET'>> = ArgumentsOf<'admin', P>

/** `useAdmin('accounts/{account}', { account })`. */
export const useAdmin = <P extends Path<'GET'>>(path: P, ...[params, options]: ReadArguments<P>) =>
  useReadOf('admin', path, params, options)

/** After a change: whatever is on screen may show it. */
export const refreshAdmin = (client: QueryClient): Promise<void> => client.invalidateQueries({ queryKey: ['admin'] })

/**
 * The version of a resource when a form began to show it: what others change meanwhile is noticed when it is saved. A promise, since
 * a person may save before it has been read.
 */
export function useVersion(path: Path<'GET'> | undefined, params: UrlParams = {}): () => Promise<Version | undefined> {
  const reading = useRef<Promise<Version | undefined>>(Promise.resolve(undefined))
  const url = path === undefined ? undefined : urlOf('admin', path, params)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the URL is made of the path and its parameters.
  useEffect(() => {
    reading.current = path === undefined ? Promise.resolve(undefined) : readVersion(path, params)
  }, [url])
  return () => reading.current
}
