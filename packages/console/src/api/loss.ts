// Whether what is on screen is of now. A console that has lost its gateway must not look healthy: figures keep their last values, and nobody
// sees that they are not read any more.

import { type QueryClient, type QueryState, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { ApiError } from './client.ts'

/** `since`: when the oldest of the figures were read. `some`: others on the page are of now. */
export type Loss = { is: 'unreachable' | 'failing' | 'some'; since: number }

/** The session is read twice within it. */
const STALE_MS = 30_000
const LOOK_MS = 1_000
const RETRY_MS = 5_000
/** The page did not run for so long: the computer slept, and everything is read again now. */
const PAUSE_MS = 5 * LOOK_MS

const SESSION = { queryKey: ['session'] }

type State = QueryState<unknown, ApiError>

/** Each attempt to read it was repeated. A rejection, such as the end of the session, is shown otherwise. */
const hasFailed = ({ data, error }: State): boolean =>
  data !== undefined && error !== null && (error.status === 0 || error.status >= 500)

/** Among what is read again by itself: nothing else is expected to be of now. `fresh`: no data can be newer than what is read after it. */
function findLoss(client: QueryClient, fresh: number, now: number): Loss | undefined {
  const states = client
    .getQueryCache()
    .findAll({ type: 'active' })
    .filter(({ observers }) => observers.some(({ options }) => Boolean(options.refetchInterval)))
    .map(({ state }) => state as State)
  const session = client.getQueryState<unknown, ApiError>(['session', {}])
  const isSilent =
    session?.data !== undefined &&
    session.error?.status !== 401 &&
    (session.fetchStatus === 'paused' || now - Math.max(session.dataUpdatedAt, fresh) > STALE_MS)
  const failed = states.filter(hasFailed)
  const stale = isSilent ? [session, ...failed] : failed
  if (stale.length === 0) return undefined
  const since = Math.min(...stale.map(({ dataUpdatedAt }) => dataUpdatedAt))
  if (isSilent || failed.some(({ error }) => error?.status === 0)) return { is: 'unreachable', since }
  return { is: session !== undefined && hasFailed(session) ? 'failing' : 'some', since }
}

/** undefined: all is well. While there is a loss the gateway is asked again and again, and then everything is read anew. */
export function useLoss(): Loss | undefined {
  const client = useQueryClient()
  const [loss, setLoss] = useState<Loss>()
  useEffect(() => {
    let looked = Date.now()
    let fresh = 0
    const timer = setInterval(() => {
      const now = Date.now()
      // Nothing is read while the tab is hidden.
      if (document.hidden || now - looked > PAUSE_MS) fresh = now
      looked = now
      const found = findLoss(client, fresh, now)
      setLoss((former) => (former?.is === found?.is && former?.since === found?.since ? former : found))
    }, LOOK_MS)
    return () => clearInterval(timer)
  }, [client])
  const isLost = loss !== undefined && loss.is !== 'some'
  useEffect(() => {
    if (!isLost) return
    // An attempt without an answer is given up: after a loss of the network it may hang for minutes.
    const timer = setInterval(() => void client.refetchQueries(SESSION), RETRY_MS)
    return () => {
      clearInterval(timer)
      void client.invalidateQueries()
    }
  }, [client, isLost])
  return loss
}
