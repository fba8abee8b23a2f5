// Filters and pages live in the URL, so that they survive a reload and can be shared.

import { useCallback } from 'react'
import { useSearchParams } from 'wouter'

type Change = Readonly<Record<string, string | null | undefined>>

/** `const [filters, setFilters] = useUrlState({ state: 'active', before: '' })`. Values equal to the default are not in the URL. */
export function useUrlState<T extends Record<string, string>>(
  defaults: T,
): [T, (change: Partial<T>, options?: { replace?: boolean }) => void] {
  const [params, setParams] = useSearchParams()
  const state = Object.fromEntries(
    Object.entries(defaults).map(([name, fallback]) => [name, params.get(name) ?? fallback]),
  ) as T
  const setState = useCallback(
    (change: Partial<T>, { replace = true }: { replace?: boolean } = {}) =>
      setParams(
        (former) => {
          const next = new URLSearchParams(former)
          for (const [name, value] of Object.entries(change as Change)) {
            if (value === null || value === undefined || value === '' || value === defaults[name]) next.delete(name)
            else next.set(name, value)
          }
          return next
        },
        // Tells that the page before this one in the history is the console's.
        replace ? { replace } : { state: { pushed: true } },
      ),
    [setParams, defaults],
  )
  return [state, setState]
}
