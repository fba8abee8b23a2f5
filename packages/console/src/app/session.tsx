// Who is signed in. Pages below `SignedIn` can rely on it.

import { useQueryClient } from '@tanstack/react-query'
import type { SessionInfo } from '@trivium/gateway/console-api/types.ts'
import { createContext, type ReactNode, useContext } from 'react'
import { Redirect, useLocation, useSearch } from 'wouter'
import { post } from '../api/client.ts'
import { useRead } from '../api/queries.ts'
import { ErrorState } from '../ui/states.tsx'
import { LayoutSkeleton } from './layout-skeleton.tsx'
import { askToLeave, useIsGuarded } from './leave-guard.tsx'

const Context = createContext<SessionInfo | undefined>(undefined)
/** As the pages: the balance beside them must not differ from theirs for long. */
const REFRESH_MS = 5_000

/** Shows its children to a signed-in account; everyone else gets the sign-in page, and comes back here. */
export function SignedIn({ children }: { children: ReactNode }) {
  const [path] = useLocation()
  const search = useSearch()
  const { data, error, refetch } = useRead('session', {}, { every: REFRESH_MS })
  const isGuarded = useIsGuarded()
  // A secret that is shown once stays on screen even if the session has ended.
  if (error?.status === 401 && !(isGuarded && data)) {
    const next = path === '/' ? '' : `?next=${encodeURIComponent(path + (search ? `?${search}` : ''))}`
    return <Redirect to={`/sign-in${next}`} replace />
  }
  if (data) return <Context value={data}>{children}</Context>
  if (error) {
    return (
      <main>
        <ErrorState error={error} retry={refetch} />
      </main>
    )
  }
  return <LayoutSkeleton />
}

export function useSession(): SessionInfo {
  const session = useContext(Context)
  if (!session) throw new Error('SignedIn is missing')
  return session
}

/** After sign-in or sign-out nothing of the former session may stay on screen. */
export function useSessionChange(): (to: string) => void {
  const client = useQueryClient()
  const [, navigate] = useLocation()
  return (to) => {
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'about' })
    navigate(to, { replace: true })
  }
}

export function useSignOut(): () => void {
  const changeSession = useSessionChange()
  const signOut = async () => {
    await post('sign-out')
    changeSession('/sign-in')
  }
  return () => askToLeave(signOut)
}

/** The page that asked for the sign-in; only paths of the console. */
export function useNextPath(): string {
  const next = new URLSearchParams(useSearch()).get('next') ?? '/'
  return /^\/(?![/\\])/.test(next) ? next : '/'
}
